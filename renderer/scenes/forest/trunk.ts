/** Trunks with bark and branches, lit on the side of the clearing. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix } from '../../color.ts';
import type { Noise, Random } from '../../random.ts';
import type { Point } from '../../size.ts';

export type Trunk = {
  readonly x: number;
  readonly base: number;
  /** Top of the painted part; the trunk continues beyond the frame. */
  readonly top: number;
  readonly width: number;
  readonly color: Color;
  readonly light: Color;
  readonly lightSide: 1 | -1;
  /** 0 is far and without bark, 1 is near. */
  readonly nearness: number;
};

type Randomness = { readonly random: Random; readonly noise: Noise };

const steps = 14;

/** Returns the middle and half width at a height, from 0 at the foot to 1 at the top. */
function shapeOf({ random, noise }: Randomness, trunk: Trunk) {
  const row = random() * 80;
  const lean = (random() - 0.5) * trunk.width * 1.44;
  return (up: number): { x: number; half: number; y: number } => {
    const flare = Math.exp(-up * 16) * 0.55;
    return {
      x: trunk.x + lean * up + noise.at(up * 2.2, row) * trunk.width * 0.45 * up,
      half: (trunk.width / 2) * (1 - 0.42 * up + flare + noise.at(up * 7, row + 9) * 0.06),
      y: trunk.base + (trunk.top - trunk.base) * up,
    };
  };
}

export function paintTrunk(context: SKRSContext2D, randomness: Randomness, trunk: Trunk): void {
  const at = shapeOf(randomness, trunk);
  const outline = (): void => {
    context.beginPath();
    for (let step = 0; step <= steps; step += 1) {
      const { x, half, y } = at(step / steps);
      context.lineTo(x - half, y);
    }
    for (let step = steps; step >= 0; step -= 1) {
      const { x, half, y } = at(step / steps);
      context.lineTo(x + half, y);
    }
  };
  paintBranches(context, randomness, { trunk, at });
  const { x, width, lightSide, nearness } = trunk;
  const round = context.createLinearGradient(x - width * 0.6, 0, x + width * 0.6, 0);
  const bright = mix(trunk.color, trunk.light, 0.42);
  const dark = mix(trunk.color, [0, 0, 0], 0.3 * nearness);
  const [first, last] = lightSide === -1 ? [bright, dark] : [dark, bright];
  round.addColorStop(0, css(first));
  round.addColorStop(lightSide === -1 ? 0.3 : 0.7, css(trunk.color));
  round.addColorStop(1, css(last));
  context.fillStyle = round;
  outline();
  context.fill();
  if (nearness > 0.3) {
    context.save();
    outline();
    context.clip();
    paintBark(context, randomness, { trunk, at });
    context.restore();
  }
  paintBranches(context, randomness, { trunk, at });
}

type ShapedTrunk = {
  readonly trunk: Trunk;
  at(up: number): { readonly x: number; readonly half: number; readonly y: number };
};

function paintBark(
  context: SKRSContext2D,
  { random }: Randomness,
  { trunk, at }: ShapedTrunk,
): void {
  const { width } = trunk;
  context.lineCap = 'round';
  context.lineWidth = Math.max(0.8, width * 0.035);
  for (let mark = 0; mark < 46; mark += 1) {
    const { x, half, y } = at(random());
    const across = x + (random() - 0.5) * half * 2;
    const isLight = random() < 0.35;
    const long = width * (0.8 + random() * 2.4);
    context.strokeStyle = css(isLight ? trunk.light : [0, 0, 0], isLight ? 0.1 : 0.22);
    context.beginPath();
    context.moveTo(across, y);
    context.quadraticCurveTo(across + half * 0.2, y - long / 2, across, y - long);
    context.stroke();
  }
}

function paintBranches(
  context: SKRSContext2D,
  { random }: Randomness,
  { trunk, at }: ShapedTrunk,
): void {
  context.fillStyle = css(mix(trunk.color, [0, 0, 0], 0.15 * trunk.nearness));
  context.beginPath();
  for (let branch = 0; branch < (trunk.nearness > 0.5 ? 3 : 5); branch += 1) {
    const { x, half, y } = at(0.5 + random() * 0.45);
    const side = random() < 0.5 ? -1 : 1;
    const long = trunk.width * (1.8 + random() * 3.2);
    const rise = long * (0.5 + random() * 0.7);
    const thick = half * (0.26 + random() * 0.16);
    const main = { x, y, dx: side * long, dy: -rise, thick };
    addBranch(context, main);
    for (const [share, turn] of [
      [0.4, 0.35],
      [0.62, 1.3],
    ] as const) {
      const dx = side * long * 0.5 * (random() * 0.5 + 0.7);
      const dy = -rise * 0.4 * turn;
      addBranch(context, { ...onBranch(main, share), dx, dy, thick: thick * 0.42 });
    }
  }
  context.fill();
}

type Branch = Point & {
  readonly dx: number;
  readonly dy: number;
  readonly thick: number;
};

const onBranch = ({ x, y, dx, dy }: Branch, share: number) => ({
  x: x + 2 * (1 - share) * share * dx * 0.58 + share * share * dx,
  y: y + 2 * (1 - share) * share * dy * 0.26 + share * share * dy,
});

function addBranch(context: SKRSContext2D, { x, y, dx, dy, thick }: Branch): void {
  context.moveTo(x, y - thick);
  context.quadraticCurveTo(x + dx * 0.6, y + dy * 0.3 - thick * 0.5, x + dx, y + dy);
  context.quadraticCurveTo(x + dx * 0.55, y + dy * 0.22 + thick * 0.7, x, y + thick);
}
