/** The windows of a building at night: some of them lit. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
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

export type WindowLook = { readonly light: CityLight; readonly lamps: readonly Color[] };

const litShare = 0.42;

/** Size of a grid step in pitches, and the share of a step that is glass. */
type Grid = { readonly step: readonly [number, number]; readonly pane: readonly [number, number] };

const grids: Record<Building['windows'], Grid> = {
  grid: { step: [1, 1.35], pane: [0.52, 0.56] },
  ribbons: { step: [1.5, 1.3], pane: [0.92, 0.42] },
  strips: { step: [1.05, 1.2], pane: [0.42, 0.8] },
  glass: { step: [1.2, 1.25], pane: [0.86, 0.84] },
};

export const planWindows = (random: Random, building: Building, look: WindowLook) =>
  building.blocks.flatMap((block) => windowsOf(random, block, { ...look, ...building }));

function windowsOf(
  random: Random,
  block: BuildingBlock,
  { lamps, light, windows }: WindowLook & Pick<Building, 'windows'>,
): BuildingWindow[] {
  const { pitch, sunSide } = light;
  const { step, pane } = grids[windows];
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
  const wall = wallColor(building, light, 0.12);
  context.fillStyle = css(mix(mix(wall, white, 0.05), light.shade, 0.14));
  // Distant dark glass looks like the wall.
  if (light.hazy < 0.5) fillAll(context, rooms, ({ lamp }) => lamp === null);
  const strength = clamp(1.15 - light.hazy * 0.9);
  for (const [index, lamp] of look.lamps.entries()) {
    for (const [faint, share] of [1, 0.68].entries()) {
      context.fillStyle = css(mix(lamp, light.haze, light.hazy * 0.6), strength * share);
      fillAll(context, rooms, (room, at) => room.lamp === index && Number(at % 3 === 0) === faint);
    }
  }
}

/** Fills all chosen windows as one path, which is faster than one fill each. */
export function fillAll(
  context: SKRSContext2D,
  rooms: readonly BuildingWindow[],
  isChosen: (room: BuildingWindow, at: number) => boolean,
): void {
  context.beginPath();
  for (const [at, room] of rooms.entries()) {
    if (isChosen(room, at)) context.rect(room.x, room.y, room.width, room.height);
  }
  context.fill();
}
