/** Buildings of a skyline at night: blocks, roofs, walls, and windows of which some are lit. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, colorsOf, css, mix, white } from '../../color.ts';
import { clamp } from '../../motion.ts';
import { between, oneOf, type Random } from '../../random.ts';
import type { Rect } from '../../size.ts';

type BuildingBlock = Rect;
type RoofKind = 'flat' | 'boxes' | 'antenna' | 'spire' | 'dome';
type WindowStyle = 'grid' | 'ribbons' | 'strips' | 'glass';

export type Building = {
  readonly blocks: readonly BuildingBlock[];
  readonly roof: RoofKind;
  readonly windows: WindowStyle;
  readonly tone: Color;
};

export type CityLight = {
  /** Color of the air in front of the building, and its strength from 0 to 1. */
  readonly haze: Color;
  readonly hazy: number;
  /** Color of the moonlight, and the side it comes from. */
  readonly sun: Color;
  readonly sunSide: -1 | 1;
  readonly shade: Color;
  /** Width of a window with its frame, in pixels. */
  readonly pitch: number;
};

const tones = colorsOf('a8a6a4 946856 708ca0 beae94 848a92 a07c68');

type BuildingPlace = {
  readonly x: number;
  readonly base: number;
  readonly width: number;
  readonly height: number;
};

export function planBuilding(
  random: Random,
  place: BuildingPlace,
  options: { readonly landmark: boolean },
): Building {
  const { x, base, width, height } = place;
  const isTall = options.landmark || height > width * 2.4;
  const tiers = isTall ? Math.floor(between(random, { from: 1, to: 4.99 })) : 1;
  const stepped = options.landmark ? Math.max(3, tiers) : random() < 0.4 ? 1 : tiers;
  const blocks: BuildingBlock[] = [];
  let [left, wide, foot] = [x, width, base];
  for (let tier = 0; tier < stepped; tier += 1) {
    const isLast = tier === stepped - 1;
    const rest = foot - (base - height);
    const tall = isLast ? rest : rest * between(random, { from: 0.42, to: 0.68 });
    blocks.push({ x: left, y: foot - tall, width: wide, height: tall });
    const narrower = wide * between(random, { from: 0.6, to: 0.82 });
    left += (wide - narrower) * (stepped > 2 ? 0.5 : between(random, { from: 0.15, to: 0.85 }));
    [wide, foot] = [narrower, foot - tall];
  }
  const tallRoofs: readonly [RoofKind, ...RoofKind[]] = ['flat', 'boxes', 'antenna', 'spire'];
  const lowRoofs: readonly [RoofKind, ...RoofKind[]] = ['flat', 'boxes', 'antenna', 'dome'];
  const windows = oneOf<WindowStyle>(random, ['grid', 'grid', 'ribbons', 'strips', 'glass']);
  return {
    blocks,
    roof: options.landmark ? 'spire' : oneOf(random, isTall ? tallRoofs : lowRoofs),
    windows: options.landmark ? 'strips' : windows,
    tone: windows === 'glass' ? [104, 138, 164] : oneOf(random, tones),
  };
}

/** Share of a block's width that faces the sun. */
const sideShare = 0.24;

function wallColor(building: Building, light: CityLight, lit: number): Color {
  const inShade = mix(building.tone, light.shade, 0.92);
  const inSun = mix(building.tone, light.sun, 0.55);
  return mix(mix(inShade, inSun, lit * 0.22), light.haze, light.hazy);
}

export function paintWalls(context: SKRSContext2D, building: Building, light: CityLight): void {
  const front = wallColor(building, light, 0.12);
  const side = wallColor(building, light, 1);
  for (const block of building.blocks) {
    const { x, y, width, height } = block;
    const wall = context.createLinearGradient(0, y, 0, y + height);
    wall.addColorStop(0, css(mix(front, light.sun, 0.06)));
    wall.addColorStop(1, css(mix(front, light.shade, 0.12 * (1 - light.hazy))));
    context.fillStyle = wall;
    // Half a pixel taller, so that no sky shows between two blocks.
    context.fillRect(x, y, width, height + 0.5);
    const sideWidth = width * sideShare;
    context.fillStyle = css(side);
    context.fillRect(light.sunSide === 1 ? x + width - sideWidth : x, y, sideWidth, height + 0.5);
    context.fillStyle = css(mix(side, light.sun, 0.25), 0.8);
    context.fillRect(x, y, width, Math.max(0.7, light.pitch * 0.12));
  }
  paintRoof(context, building, light);
}

function paintRoof(context: SKRSContext2D, building: Building, light: CityLight): void {
  const top = building.blocks.at(-1)!;
  const { x, y, width } = top;
  const middle = x + width / 2;
  const { pitch } = light;
  context.fillStyle = css(wallColor(building, light, 0.05));
  context.strokeStyle = context.fillStyle;
  context.lineWidth = Math.max(0.8, pitch * 0.16);
  context.beginPath();
  if (building.roof === 'boxes') {
    context.rect(x + width * 0.14, y - pitch * 0.9, width * 0.3, pitch);
    context.rect(x + width * 0.6, y - pitch * 1.5, width * 0.22, pitch * 1.6);
  } else if (building.roof === 'dome') {
    context.ellipse(middle, y + 0.5, width * 0.4, width * 0.34, 0, Math.PI, Math.PI * 2);
  } else if (building.roof === 'spire') {
    const rise = Math.min(width * 1.7, pitch * 13);
    context.rect(middle - width * 0.2, y - rise * 0.16, width * 0.4, rise * 0.17);
    context.moveTo(middle - width * 0.13, y - rise * 0.15);
    context.lineTo(middle, y - rise * 0.62);
    context.lineTo(middle + width * 0.13, y - rise * 0.15);
    context.rect(middle - pitch * 0.07, y - rise, pitch * 0.14, rise * 0.5);
  }
  context.fill();
  if (building.roof === 'antenna') {
    context.beginPath();
    context.moveTo(x + width * 0.4, y);
    context.lineTo(x + width * 0.4, y - pitch * 4.4);
    context.moveTo(x + width * 0.66, y);
    context.lineTo(x + width * 0.66, y - pitch * 2.2);
    context.stroke();
  }
}

type BuildingWindow = BuildingBlock & {
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
