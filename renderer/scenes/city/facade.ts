/** A wall in perspective: its windows with their frames, and shops at its foot. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp } from '../../motion.ts';
import { oneOf, type Random } from '../../random.ts';
import type { WindowLook } from './windows.ts';

export type Point = { readonly x: number; readonly y: number };

/** How many windows walls have in one length of the world, and whether shops are below them. */
export type Facade = {
  readonly floors: number;
  readonly columns: number;
  readonly hasShops: boolean;
  /** Bars in windows and goods in shops; what is only seen as a blur has none. */
  readonly isFine: boolean;
};

/** One wall: from its own shares, right and up from 0 to 1, to the frame. */
export type Wall = {
  at(right: number, up: number): Point;
  readonly columns: number;
  readonly rows: number;
  /** Its height in the world. */
  readonly tall: number;
  readonly color: Color;
};

export type WallLook = {
  readonly wall: Wall;
  readonly look: WindowLook;
  readonly facade: Facade;
  /** The lamp most of its rooms have, and the shape of its windows. */
  readonly lamp: number;
  readonly style: number;
};

/** A window is not painted where it would be smaller than this, in pixels. */
const windowPixelsMin = 2.4;
/** From here on a window shows its frame. */
const framePixelsMin = 13;
/** How high shops are, in the world. */
const shopTall = 0.42;
/** How much of a step of the grid is glass, across and up. */
const shapes = [
  [0.56, 0.54],
  [0.72, 0.6],
  [0.44, 0.66],
  [0.84, 0.46],
] as const;

export function polygon(context: SKRSContext2D, points: readonly Point[]): void {
  context.beginPath();
  addAll(context, [points]);
  context.fill();
}

function addAll(context: SKRSContext2D, shapes: readonly (readonly Point[])[]): void {
  for (const shape of shapes) {
    for (const [index, { x, y }] of shape.entries()) {
      if (index === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.closePath();
  }
}

const quad = (wall: Wall, from: readonly [number, number], to: readonly [number, number]) => [
  wall.at(from[0], from[1]),
  wall.at(to[0], from[1]),
  wall.at(to[0], to[1]),
  wall.at(from[0], to[1]),
];

export function paintWall(context: SKRSContext2D, random: Random, options: WallLook): void {
  const { wall, look, facade } = options;
  const { light } = look;
  const [low, high] = [wall.at(0, 0), wall.at(0, 1)];
  const fill = context.createLinearGradient(0, high.y, 0, low.y);
  fill.addColorStop(0, css(wall.color));
  // Streets light the walls from below at night, and lie in shade by day.
  const foot = light.dark > 0.5 ? mix(wall.color, light.sun, 0.3) : light.shade;
  fill.addColorStop(1, css(mix(wall.color, foot, 0.3)));
  context.fillStyle = fill;
  polygon(context, quad(wall, [0, 0], [1, 1]));
  const pixels = Math.abs(low.y - high.y) / wall.rows;
  if (pixels < windowPixelsMin * 1.5) return;
  paintPanes(context, random, options, pixels);
  const shops = shopTall / wall.tall;
  if (facade.hasShops && shops < 0.6) paintShops(context, random, options, shops);
}

function paintPanes(
  context: SKRSContext2D,
  random: Random,
  { wall, look, facade, lamp: usual, style }: WallLook,
  pixels: number,
): void {
  const { light, lamps, litShare } = look;
  const foot = facade.hasShops ? Math.min(0.6, shopTall / wall.tall) : 0;
  const [across, up] = shapes[style]!;
  const lit: Point[][][] = lamps.map(() => []);
  const dull: Point[][] = [];
  for (let row = 0; row < wall.rows; row += 1) {
    const busy = litShare * (random() < 0.14 ? 1.9 : random() < 0.3 ? 0.3 : 1);
    const low = foot + ((row + (1 - up) * 0.4) / wall.rows) * (1 - foot);
    const high = low + (up / wall.rows) * (1 - foot);
    for (let column = 0; column < wall.columns; column += 1) {
      const left = (column + (1 - across) / 2) / wall.columns;
      const lamp = random() < 0.8 ? usual : Math.floor(random() * lamps.length);
      const pane = quad(wall, [left, low], [left + across / wall.columns, high]);
      (random() < busy ? lit[lamp]! : dull).push(pane);
    }
  }
  const fillAll = (panes: readonly Point[][]): void => {
    context.beginPath();
    addAll(context, panes);
    context.fill();
  };
  const pane = mix(look.mirrored.low, light.shade, 0.5);
  const mirror = mix(wall.color, pane, (1 - light.dark) * 0.7 * (1 - light.hazy));
  context.fillStyle = css(light.dark > 0.5 ? mix(wall.color, light.shade, 0.35) : mirror);
  if (light.hazy < 0.5) fillAll(dull);
  for (const [index, lamp] of lamps.entries()) {
    context.fillStyle = css(mix(lamp, light.haze, light.hazy * 0.6), clamp(1 - light.hazy));
    fillAll(lit[index]!);
  }
  if (facade.isFine && pixels > framePixelsMin)
    strokeFrames(context, [...dull, ...lit.flat()], { wall, pixels });
}

/** Bars in the windows and a sill below each. */
function strokeFrames(
  context: SKRSContext2D,
  panes: readonly (readonly Point[])[],
  { wall, pixels }: { readonly wall: Wall; readonly pixels: number },
): void {
  const middle = (one: Point, other: Point, share: number): Point => ({
    x: one.x + (other.x - one.x) * share,
    y: one.y + (other.y - one.y) * share,
  });
  const line = (from: Point, to: Point): void => {
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
  };
  context.strokeStyle = css(mix(wall.color, [0, 0, 0], 0.25));
  context.lineWidth = Math.max(1, pixels * 0.035);
  context.beginPath();
  for (const [one, two, three, four] of panes as readonly [Point, Point, Point, Point][]) {
    line(middle(one, two, 0.5), middle(four, three, 0.5));
    line(middle(one, four, 0.68), middle(two, three, 0.68));
  }
  context.stroke();
  context.strokeStyle = css(mix(wall.color, white, 0.16));
  context.lineWidth = Math.max(1, pixels * 0.06);
  context.beginPath();
  for (const [one, two] of panes as readonly [Point, Point][]) line(one, two);
  context.stroke();
}

const awnings: readonly [Color, ...Color[]] = [
  [176, 52, 44],
  [42, 96, 84],
  [38, 70, 122],
  [206, 160, 72],
  [120, 54, 96],
];

/** Lit glass below a board, one shop beside the other. */
function paintShops(
  context: SKRSContext2D,
  random: Random,
  { wall, look, facade }: WallLook,
  tall: number,
): void {
  const { light, lamps } = look;
  const count = Math.max(1, Math.round(wall.columns / 2.2));
  const veiled = (color: Color, share = light.hazy): Color => mix(color, light.haze, share);
  context.fillStyle = css(mix(wall.color, light.shade, 0.55));
  polygon(context, quad(wall, [0, 0], [1, tall * 0.98]));
  for (let shop = 0; shop < count; shop += 1) {
    const [from, to] = [(shop + 0.08) / count, (shop + 0.92) / count];
    const isOpen = light.dark > 0.4 && random() < 0.85;
    const glass = wall.at((from + to) / 2, 0);
    const ceiling = wall.at((from + to) / 2, tall * 0.7);
    const shine = context.createLinearGradient(0, ceiling.y, 0, glass.y);
    const lamp = mix(oneOf(random, lamps as [Color, ...Color[]]), white, 0.25);
    const inside = isOpen ? lamp : mix(look.mirrored.low, light.shade, 0.72);
    shine.addColorStop(0, css(veiled(inside, light.hazy * 0.5)));
    shine.addColorStop(1, css(veiled(mix(inside, light.shade, 0.45), light.hazy * 0.5)));
    context.fillStyle = shine;
    polygon(context, quad(wall, [from, 0.04 * tall], [to, tall * 0.68]));
    const cloth = mix(oneOf(random, awnings), light.shade, light.dark * 0.5);
    context.fillStyle = css(veiled(isOpen && random() < 0.5 ? mix(cloth, lamp, 0.35) : cloth));
    polygon(context, quad(wall, [from - 0.02, tall * 0.68], [to + 0.02, tall * 0.9]));
    if (facade.isFine)
      paintGoods(context, random, { wall, from, to, tall, color: mix(inside, light.shade, 0.5) });
  }
}

type Goods = {
  readonly wall: Wall;
  readonly from: number;
  readonly to: number;
  readonly tall: number;
  readonly color: Color;
};

/** What stands behind the glass, and the bars between its panes. */
function paintGoods(context: SKRSContext2D, random: Random, goods: Goods): void {
  const { wall, from, to, tall, color } = goods;
  const shapes: Point[][] = [];
  const wide = to - from;
  for (let thing = 0; thing < 7; thing += 1) {
    const left = from + wide * (thing / 7 + 0.02);
    const high = tall * (0.1 + random() ** 2 * 0.34);
    shapes.push(quad(wall, [left, 0.04 * tall], [left + wide * (0.05 + random() * 0.07), high]));
  }
  for (const share of [0, 0.33, 0.66, 0.985]) {
    const left = from + wide * share;
    shapes.push(quad(wall, [left, 0.04 * tall], [left + wide * 0.015, tall * 0.68]));
  }
  context.fillStyle = css(color, 0.75);
  context.beginPath();
  addAll(context, shapes);
  context.fill();
}
