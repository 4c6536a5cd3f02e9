/** What a decoder must be able to do for a clip, as H.264 counts it (table A-1). */
import type { Size } from '../size.ts';

/** Blocks of 16 by 16 pixels in a frame and in a second; the level times ten. */
const levels = [
  { level: 30, blocksMax: 1620, paceMax: 40_500 },
  { level: 31, blocksMax: 3600, paceMax: 108_000 },
  { level: 32, blocksMax: 5120, paceMax: 216_000 },
  { level: 40, blocksMax: 8192, paceMax: 245_760 },
  { level: 42, blocksMax: 8704, paceMax: 522_240 },
  { level: 50, blocksMax: 22_080, paceMax: 589_824 },
  { level: 51, blocksMax: 36_864, paceMax: 983_040 },
  { level: 52, blocksMax: 36_864, paceMax: 2_073_600 },
] as const;

/** The highest that ordinary players take. */
export const levelMax = 52;

/** The lowest level for frames of this size at this pace, times ten. */
export function levelFor({ width, height }: Size, framesPerSecond: number): number {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const fitting = levels.find(
    ({ blocksMax, paceMax }) => blocks <= blocksMax && blocks * framesPerSecond <= paceMax,
  );
  return fitting?.level ?? levelMax;
}
