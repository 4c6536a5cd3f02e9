/**
 * A card in space: round corners, the edge of a pane of glass, a shadow, turned about its upright
 * axis as the eye would see it. What it shows is its face's business.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Box, CardContent } from './card-content.ts';
import type { Size } from './size.ts';

export type CardPose = {
  /** Radians; above 0 its right side is turned away. */
  readonly turn?: number;
  /** How much of its light is taken, from 0 to 1: for what stands back. */
  readonly shade?: number;
  readonly opacity?: number;
  /** Of its shadow: a card that comes nearer throws a larger one. From 1. */
  readonly height?: number;
};

export type Mount = {
  /** The face fills the box, or, turned, what the box is seen as. */
  draw(context: SKRSContext2D, box: Box, second: number, look?: CardPose): Promise<void>;
};

/** How far the eye is, in parts of the card's width. */
const eyeDistance = 3.2;
/** Columns of the frame that are drawn as one, in pixels: few enough that a slope has no steps. */
const sliceWidth = 4;
/** Clear pixels around a card that is drawn aside, so that its edges are soft. */
const rim = 2;

export function mountCard(face: CardContent, unit: number): Mount {
  const aside = createAside(face, unit);
  return {
    async draw(context, box, second, look = {}) {
      const { turn = 0, shade = 0, opacity = 1, height = 1 } = look;
      const seen = box.width * Math.cos(turn);
      const reach = 40 * unit * height;
      const below = { ...box, x: box.x + (box.width - seen) / 2, y: box.y + reach * 0.4 };
      context.globalAlpha = opacity * 0.6;
      drawShadow(context, { ...below, width: seen }, reach);
      context.globalAlpha = opacity;
      const flat = await aside.at(box, { second, shade });
      drawTurned(context, flat, { box, turn });
      context.globalAlpha = 1;
    },
  };
}

/** The card as it is from the front, with a clear rim; kept for as long as it looks the same. */
function createAside(face: CardContent, unit: number) {
  let canvas: Canvas | null = null;
  let kept = '';
  return {
    async at(size: Size, moment: { second: number; shade: number }): Promise<Flat> {
      const width = Math.max(2, Math.round(size.width));
      const height = Math.max(2, Math.round(size.height));
      // In steps that nobody sees, so that it is kept while it slowly changes.
      const shade = Math.round(moment.shade * 24) / 24;
      const look = `${width} ${height} ${shade}`;
      if (!canvas || canvas.width < width + rim * 2 || canvas.height < height + rim * 2) {
        canvas = createCanvas(Math.ceil(width * 1.2) + rim * 2, Math.ceil(height * 1.2) + rim * 2);
        kept = '';
      }
      if (face.isStill && kept === look) return { canvas, width, height };
      kept = look;
      const context = canvas.getContext('2d');
      context.clearRect(0, 0, canvas.width, canvas.height);
      await drawFlat(context, face, { box: { x: rim, y: rim, width, height }, unit, ...moment });
      return { canvas, width, height };
    },
  };
}

type Flat = Size & { readonly canvas: Canvas };

async function drawFlat(
  context: SKRSContext2D,
  face: CardContent,
  options: { box: Box; second: number; shade: number; unit: number },
): Promise<void> {
  const { box, second, shade, unit } = options;
  const outline = (inset: number): void => {
    const radius = Math.min(box.width, box.height) * 0.045 + 3 * unit - inset;
    const [width, height] = [box.width - inset * 2, box.height - inset * 2];
    context.beginPath();
    context.roundRect(box.x + inset, box.y + inset, width, height, radius);
  };
  context.save();
  outline(0);
  context.clip();
  context.imageSmoothingQuality = face.isStill ? 'low' : 'medium';
  await face.draw(context, box, second);
  context.restore();
  const line = Math.max(1, 1.5 * unit);
  const light = context.createLinearGradient(box.x, box.y, box.x, box.y + box.height);
  light.addColorStop(0, 'rgba(255,255,255,.6)');
  light.addColorStop(0.3, 'rgba(255,255,255,.22)');
  light.addColorStop(1, 'rgba(255,255,255,.12)');
  outline(line / 2);
  context.lineWidth = line;
  context.strokeStyle = light;
  context.stroke();
  if (shade <= 0) return;
  outline(0);
  context.fillStyle = `rgba(4,6,14,${shade})`;
  context.fill();
}

/**
 * In upright slices, each as high as it is near. Slices end on whole pixels, so that no line shows
 * between two of them.
 */
function drawTurned(
  context: SKRSContext2D,
  { canvas, width, height }: Flat,
  { box, turn }: { readonly box: Box; readonly turn: number },
): void {
  const [middleX, middleY] = [box.x + box.width / 2, box.y + box.height / 2];
  const scale = box.width / width;
  const [wide, high] = [width + rim * 2, height + rim * 2];
  if (Math.abs(turn) < 0.004) {
    const [x, y] = [middleX - (wide * scale) / 2, middleY - (high * scale) / 2];
    context.drawImage(canvas, 0, 0, wide, high, x, y, wide * scale, high * scale);
    return;
  }
  const distance = eyeDistance * box.width;
  const [sine, cosine] = [Math.sin(turn), Math.cos(turn)];
  const seenAt = (x: number): number => (x * cosine * distance) / (distance + x * sine);
  const half = (wide * scale) / 2;
  const [left, right] = [middleX + seenAt(-half), middleX + seenAt(half)];
  for (let from = Math.floor(left); from < right; from += sliceWidth) {
    const to = Math.min(from + sliceWidth, Math.ceil(right));
    const placeOf = (seen: number): number => (seen * distance) / (distance * cosine - seen * sine);
    const first = Math.max(0, placeOf(from - middleX) / scale + wide / 2);
    const last = Math.min(wide, placeOf(to - middleX) / scale + wide / 2);
    if (last - first < 0.01) continue;
    const middle = placeOf((from + to) / 2 - middleX);
    const seenHigh = (high * scale * distance) / (distance + middle * sine);
    const y = middleY - seenHigh / 2;
    context.drawImage(canvas, first, 0, last - first, high, from, y, to - from, seenHigh);
  }
}

/** Of the picture of a shadow: how far its soft edge reaches, and how much of it is a corner. */
const shadowEdge = { reach: 32, corner: 60, side: 128 };
let shadowKept: Canvas | null = null;

/** One for all cards. */
function shadowPicture(): Canvas {
  if (shadowKept) return shadowKept;
  const { reach, side } = shadowEdge;
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.shadowColor = '#000';
  context.shadowBlur = reach * 1.1;
  // What throws the shadow is drawn outside: the shadow alone is wanted.
  context.shadowOffsetX = side;
  context.fillStyle = '#000';
  context.beginPath();
  context.roundRect(reach - side, reach, side - reach * 2, side - reach * 2, 6);
  context.fill();
  shadowKept = canvas;
  return canvas;
}

/** Corners keep their shape and only the edges between them are stretched. */
function drawShadow(context: SKRSContext2D, box: Box, reach: number): void {
  const picture = shadowPicture();
  const { corner, side } = shadowEdge;
  const scale = reach / shadowEdge.reach;
  const [wide, high] = [box.width + reach * 2, box.height + reach * 2];
  const round = Math.min(corner * scale, wide / 2, high / 2);
  const from = [0, corner, side - corner, side] as const;
  const across = [0, round, wide - round, wide] as const;
  const down = [0, round, high - round, high] as const;
  for (const [column, x] of across.slice(0, 3).entries()) {
    for (const [row, y] of down.slice(0, 3).entries()) {
      const [width, height] = [across[column + 1]! - x, down[row + 1]! - y];
      if (width <= 0 || height <= 0) continue;
      const [left, top] = [from[column]!, from[row]!];
      context.drawImage(
        ...([picture, left, top, from[column + 1]! - left, from[row + 1]! - top] as const),
        ...([box.x - reach + x, box.y - reach + y, width, height] as const),
      );
    }
  }
}
