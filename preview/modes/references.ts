/** Reference to video: every material as a card in a grid, floating above the prompt's scene. */
import type { Canvas } from '@napi-rs/canvas';
import { frameOf, mounted, openImage } from '../card.ts';
import { reduced } from '../image.ts';
import { clamp, settle } from '../motion.ts';
import type { Size } from '../size.ts';
import type { Mode, Stage } from './mode.ts';

export type Box = Size & { readonly x: number; readonly y: number };

type Card = {
  readonly picture: Canvas;
  /** Room around the picture for its shadow. */
  readonly margin: number;
  readonly box: Box;
};

/** How long it takes until the last card has begun to come in. */
const arrivalSeconds = 1.1;

export async function createReferences(stage: Stage): Promise<Mode> {
  const { size, random, unit } = stage.setting;
  const background = stage.scene();
  const cards = await cardsOf(stage);
  const floats = cards.map(() => ({ phase: random() * Math.PI * 2, pace: 0.5 + random() * 0.4 }));
  const gap = Math.min(0.22, arrivalSeconds / Math.max(1, cards.length));

  return {
    draw(context, second) {
      background.draw(context, second);
      context.fillStyle = 'rgba(0,0,0,.22)';
      context.fillRect(0, 0, size.width, size.height);
      cards.forEach(({ picture, margin, box }, index) => {
        const arrived = settle((second - 0.1 - index * gap) / 1.1);
        if (arrived <= 0) return;
        const { phase, pace } = floats[index]!;
        const sway = Math.sin(second * pace + phase) * 4 * unit;
        const lift = Math.cos(second * pace * 1.1 + phase) * 4 * unit + (1 - arrived) * 50 * unit;
        context.globalAlpha = arrived;
        context.drawImage(picture, box.x - margin + sway, box.y - margin + lift);
      });
      context.globalAlpha = 1;
    },
    presence: () => 1,
  };
}

/** Pictures are kept as small as they may be shown: thirty at full size would fill the memory. */
async function cardsOf({ job, setting, captionTop }: Stage): Promise<Card[]> {
  const { size, palette, unit } = setting;
  const { materials } = job;
  const margin = Math.round(size.width * 0.06);
  const top = Math.round(size.height * 0.12);
  const area = {
    x: margin,
    y: top,
    width: size.width - margin * 2,
    height: Math.max(size.height * 0.3, captionTop - top - 26 * unit),
  };
  const longestSide = (Math.max(area.width, area.height) / Math.sqrt(materials.length)) * 1.4;
  const pictures: (Canvas | null)[] = [];
  for (const material of materials) {
    const image = material.kind === 'image' ? await openImage(material) : null;
    pictures.push(image && reduced(image, longestSide));
  }
  const shapes = pictures.map((one) => (one ? clamp(one.width / one.height, 0.5, 2.2) : 16 / 9));
  const boxes = arrange(shapes, area, 22 * unit);
  return materials.map((material, index) => {
    const box = boxes[index]!;
    const width = Math.max(2, Math.round(box.width));
    const cardSize = { width, height: Math.max(2, Math.round(box.height)) };
    const picture = frameOf(material, pictures[index] ?? null, { size: cardSize, palette });
    const { card, margin: room } = mounted(picture, unit);
    return { picture: card, margin: room, box };
  });
}

/**
 * Boxes for pictures of the given shapes (width over height), in rows of equal height, as large as
 * the area allows and none larger than two thirds of it in either direction when it stands alone.
 */
export function arrange(shapes: readonly number[], area: Box, gap: number): Box[] {
  let best: Box[] = [];
  let bestHeight = 0;
  for (let rowsCount = 1; rowsCount <= shapes.length; rowsCount += 1) {
    const rows = inRows(shapes, rowsCount);
    const tallest = (area.height - gap * (rows.length - 1)) / rows.length;
    const heights = rows.map((row) => {
      const sum = row.reduce((one, other) => one + other, 0);
      return (area.width - gap * (row.length - 1)) / sum;
    });
    const height = Math.min(tallest, ...heights);
    if (height <= bestHeight) continue;
    bestHeight = height;
    best = place(rows, { area, gap, height });
  }
  return best;
}

/** Neighbours together, every row about as wide as the others. */
function inRows(shapes: readonly number[], rowsCount: number): number[][] {
  const perRow = Math.ceil(shapes.length / rowsCount);
  const rows: number[][] = [];
  for (let at = 0; at < shapes.length; at += perRow) rows.push(shapes.slice(at, at + perRow));
  return rows;
}

function place(
  rows: readonly (readonly number[])[],
  { area, gap, height }: { readonly area: Box; readonly gap: number; readonly height: number },
): Box[] {
  const total = rows.length * height + (rows.length - 1) * gap;
  return rows.flatMap((row, rowIndex) => {
    const width = row.reduce((one, other) => one + other, 0) * height + gap * (row.length - 1);
    let x = area.x + (area.width - width) / 2;
    const y = area.y + (area.height - total) / 2 + rowIndex * (height + gap);
    return row.map((shape) => {
      const box = { x, y, width: shape * height, height };
      x += box.width + gap;
      return box;
    });
  });
}
