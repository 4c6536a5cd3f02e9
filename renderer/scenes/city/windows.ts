/** The windows of a building: panes that reflect the sky by day and are lit at night. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorsOf, css, mix, white } from '../../color.ts';
import { clamp } from '../../motion.ts';
import type { Random } from '../../random.ts';
import {
  type Building,
  type BuildingBlock,
  type CityLight,
  sideShare,
  wallColor,
} from './building.ts';

export type BuildingWindow = BuildingBlock & {
  /** Index of the lamp; null for a dark window. */
  readonly lamp: number | null;
};

export type WindowLook = {
  readonly light: CityLight;
  /** Colors that panes reflect, at the roof and at the foot. */
  readonly mirrored: { readonly high: Color; readonly low: Color };
  readonly lamps: readonly Color[];
  readonly litShare: number;
};

/** Size of a grid step in pitches, and the share of a step that is glass. */
type Grid = { readonly step: readonly [number, number]; readonly pane: readonly [number, number] };

const grids: Record<Building['windows'], Grid> = {
  grid: { step: [1, 1.35], pane: [0.52, 0.56] },
  ribbons: { step: [1.5, 1.3], pane: [0.92, 0.42] },
  strips: { step: [1.05, 1.2], pane: [0.42, 0.8] },
  glass: { step: [1.2, 1.25], pane: [0.86, 0.84] },
};

export function planWindows(
  random: Random,
  building: Building,
  look: WindowLook,
): BuildingWindow[] {
  return building.blocks.flatMap((block) => windowsOf(random, block, building, look));
}

function windowsOf(
  random: Random,
  block: BuildingBlock,
  building: Building,
  look: WindowLook,
): BuildingWindow[] {
  const { lamps, litShare } = look;
  const { pitch, sunSide } = look.light;
  const { step, pane } = grids[building.windows];
  const front = block.width * (1 - sideShare) - pitch * 0.5;
  const left = (sunSide === 1 ? block.x : block.x + block.width * sideShare) + pitch * 0.25;
  const columns = Math.floor(front / (step[0] * pitch));
  const rows = Math.floor((block.height - pitch * 0.7) / (step[1] * pitch));
  const usual = Math.floor(random() * lamps.length);
  const rooms: BuildingWindow[] = [];
  for (let row = 0; row < rows; row += 1) {
    const busy = litShare * (random() < 0.12 ? 2.2 : random() < 0.3 ? 0.25 : 1);
    for (let column = 0; column < columns; column += 1) {
      const isLit = random() < busy;
      const lamp = random() < 0.8 ? usual : Math.floor(random() * lamps.length);
      const width = front / columns;
      rooms.push({
        x: left + width * (column + (1 - pane[0]) / 2),
        y: block.y + pitch * 0.6 + step[1] * pitch * row,
        width: width * pane[0],
        height: step[1] * pitch * pane[1],
        lamp: isLit ? lamp : null,
      });
    }
  }
  return rooms;
}

export function paintWindows(
  context: SKRSContext2D,
  rooms: readonly BuildingWindow[],
  { building, look }: { readonly building: Building; readonly look: WindowLook },
): void {
  const { light } = look;
  // Distant dark glass looks like the wall at night.
  if (light.hazy < 0.5 || light.dark < 1) paintPanes(context, rooms, { building, look });
  const strength = clamp(1.15 - light.hazy * 0.9);
  for (const [index, lamp] of look.lamps.entries()) {
    for (const [faint, share] of [1, 0.68].entries()) {
      const lit = rooms.filter((room, at) => room.lamp === index && Number(at % 3 === 0) === faint);
      context.fillStyle = css(mix(lamp, light.haze, light.hazy * 0.6), strength * share);
      fillAll(context, lit);
    }
  }
}

function paintPanes(
  context: SKRSContext2D,
  rooms: readonly BuildingWindow[],
  { building, look }: { readonly building: Building; readonly look: WindowLook },
): void {
  const { light, mirrored } = look;
  const foot = building.blocks[0]!;
  const wall = wallColor(building, light, 0.12);
  const seam = light.dark > 0.5 ? mix(wall, white, 0.05) : mix(wall, light.shade, 0.25);
  const isGlass = building.windows === 'glass';
  const mirror = (1 - light.dark) * (isGlass ? 0.75 : 0.42) * (1 - light.hazy * 0.7);
  const veiled = (color: Color): string => {
    const seen = mix(seam, mix(color, light.haze, light.hazy), mirror);
    return css(mix(seen, light.shade, 0.14 * light.dark));
  };
  const fill = context.createLinearGradient(0, building.blocks.at(-1)!.y, 0, foot.y + foot.height);
  fill.addColorStop(0, veiled(mirrored.high));
  fill.addColorStop(0.6, veiled(mix(mirrored.low, white, 0.15)));
  fill.addColorStop(1, veiled(mix(mirrored.low, light.shade, 0.35)));
  context.fillStyle = fill;
  fillAll(
    context,
    rooms.filter(({ lamp }) => lamp === null),
  );
}

/** Fills all rectangles as one path, which is faster than one fill each. */
export function fillAll(context: SKRSContext2D, blocks: readonly BuildingBlock[]): void {
  context.beginPath();
  for (const { x, y, width, height } of blocks) context.rect(x, y, width, height);
  context.fill();
}

export const lampsOf = (options: { readonly neon: boolean }): readonly Color[] =>
  options.neon ? colorsOf('ffd696 ff8ccd 7ee8ff be96ff') : colorsOf('ffce80 ffe2ac ffb868 d6e8ff');
