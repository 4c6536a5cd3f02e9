/**
 * Flames: tongues that lick upwards, one over the other from dark red to almost white. Every tongue
 * is a curve whose tip sways more than its foot; added light makes them glow where they meet.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';
import type { Noise } from '../../random.ts';

export type FlameOptions = {
  /** The middle of its foot, and how tall it stands, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly width: number;
  readonly tongues: number;
  readonly noise: Noise;
  /** So that two fires do not burn alike. */
  readonly row: number;
  readonly pace: number;
};

/** From the outside in: how large, what color, how strong. */
const shells: readonly (readonly [size: number, color: Color, alpha: number])[] = [
  [1, [150, 26, 6], 0.3],
  [0.86, [214, 62, 8], 0.36],
  [0.68, [250, 122, 18], 0.4],
  [0.48, [255, 190, 62], 0.5],
  [0.27, [255, 240, 178], 0.62],
];

export function drawFlames(context: SKRSContext2D, options: FlameOptions, second: number): void {
  const { x, y, height, width, tongues, noise, row, pace } = options;
  const time = second * 1.5 * pace;
  context.globalCompositeOperation = 'lighter';
  for (const [size, color, alpha] of shells) {
    context.fillStyle = css(color, alpha);
    context.beginPath();
    for (let tongue = 0; tongue < tongues; tongue += 1) {
      const share = tongues === 1 ? 0 : (tongue / (tongues - 1)) * 2 - 1;
      const own = row + tongue * 7.3;
      const leap = 0.78 + 0.34 * noise.at(own, time * 1.3);
      // The middle ones stand highest, as the hottest air rises there.
      const tall = height * (1 - share * share * 0.5) * leap * size;
      const half = (width / (tongues * 0.62)) * (0.72 + 0.2 * noise.at(own + 30, time)) * size;
      const sway = (at: number): number =>
        noise.at(own * 1.7 + at * 0.9, time * 1.1 - at * 1.6) * width * 0.22 * at;
      const foot = x + share * width * 0.36 * (0.55 + 0.45 * size);
      addTongue(context, { foot, y, tall, half, sway });
    }
    context.fill();
  }
  context.globalCompositeOperation = 'source-over';
}

type Tongue = {
  readonly foot: number;
  readonly y: number;
  readonly tall: number;
  readonly half: number;
  /** How far aside it stands, by the share of its height. */
  readonly sway: (share: number) => number;
};

function addTongue(context: SKRSContext2D, { foot, y, tall, half, sway }: Tongue): void {
  const tip = { x: foot + sway(1), y: y - tall };
  const [low, high] = [sway(0.35), sway(0.7)];
  context.moveTo(foot - half * 0.55, y);
  context.bezierCurveTo(
    ...([foot - half * 1.25 + low, y - tall * 0.3] as const),
    ...([foot - half * 0.42 + high, y - tall * 0.62] as const),
    ...([tip.x, tip.y] as const),
  );
  context.bezierCurveTo(
    ...([foot + half * 0.42 + high, y - tall * 0.62] as const),
    ...([foot + half * 1.25 + low, y - tall * 0.3] as const),
    ...([foot + half * 0.55, y] as const),
  );
  context.quadraticCurveTo(foot, y + half * 0.3, foot - half * 0.55, y);
}
