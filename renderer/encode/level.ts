/** H.264 levels (table A-1): the decoder capabilities that a clip requires. */
import type { Size } from '../size.ts';

/** Maximum macroblocks per frame and per second; levels are multiplied by ten. */
const levels = [
  { level: 30, blocksMax: 1620, rateMax: 40_500 },
  { level: 31, blocksMax: 3600, rateMax: 108_000 },
  { level: 32, blocksMax: 5120, rateMax: 216_000 },
  { level: 40, blocksMax: 8192, rateMax: 245_760 },
  { level: 42, blocksMax: 8704, rateMax: 522_240 },
  { level: 50, blocksMax: 22_080, rateMax: 589_824 },
  { level: 51, blocksMax: 36_864, rateMax: 983_040 },
  { level: 52, blocksMax: 36_864, rateMax: 2_073_600 },
] as const;

/** The highest level that common players support. */
const levelMax = 52;

/** The lowest level for this frame size and rate, multiplied by ten. */
export function levelFor({ width, height }: Size, framesPerSecond: number): number {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const fitting = levels.find(
    ({ blocksMax, rateMax }) => blocks <= blocksMax && blocks * framesPerSecond <= rateMax,
  );
  return fitting?.level ?? levelMax;
}
