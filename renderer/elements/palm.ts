/** A palm tree: a leaning trunk and fronds that sway. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../color.ts';
import type { Random } from '../random.ts';

type Palm = {
  /** Foot and height in pixels. A lean of 0.3 moves the crown sideways by 0.3 of the height. */
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly lean: number;
  readonly fronds: readonly {
    readonly angle: number;
    readonly long: number;
    readonly phase: number;
  }[];
};

export function palmOf(random: Random, place: Pick<Palm, 'x' | 'y' | 'tall' | 'lean'>): Palm {
  return {
    ...place,
    fronds: Array.from({ length: 9 }, (_, index) => ({
      angle: -Math.PI * (1.12 - (index / 8) * 1.24) + (random() - 0.5) * 0.2,
      long: place.tall * (0.42 + random() * 0.14),
      phase: random() * 6,
    })),
  };
}

export function drawPalm(
  context: SKRSContext2D,
  palm: Palm,
  { color, second, wind }: { color: Color; second: number; wind: number },
): void {
  const { x, y, tall, lean } = palm;
  const sway = Math.sin(second * 0.9 + x) * tall * 0.012 * wind;
  const [crownX, crownY] = [x + lean * tall + sway, y - tall];
  const [bendX, bendY] = [x + lean * tall * 0.2, y - tall * 0.55];
  const thick = tall * 0.03;
  context.fillStyle = css(color);
  context.beginPath();
  context.moveTo(x - thick, y);
  context.quadraticCurveTo(bendX - thick * 0.7, bendY, crownX - thick * 0.45, crownY);
  context.lineTo(crownX + thick * 0.45, crownY);
  context.quadraticCurveTo(bendX + thick * 0.7, bendY, x + thick, y);
  for (const { angle, long, phase } of palm.fronds) {
    const turned = angle + Math.sin(second * 1.3 + phase) * 0.045 * wind;
    addFrond(context, { x: crownX, y: crownY, angle: turned, long });
  }
  context.fill();
}

function addFrond(
  context: SKRSContext2D,
  { x, y, angle, long }: { x: number; y: number; angle: number; long: number },
): void {
  const droop = long * 0.42;
  const at = (share: number): readonly [number, number] => [
    x + Math.cos(angle) * long * share,
    y + Math.sin(angle) * long * share + droop * share * share,
  ];
  const leaflets = 11;
  context.moveTo(x, y);
  for (let leaf = 1; leaf <= leaflets; leaf += 1) {
    const [px, py] = at(leaf / leaflets);
    context.lineTo(px, py - long * 0.012);
  }
  for (let leaf = leaflets; leaf >= 1; leaf -= 1) {
    const share = leaf / leaflets;
    const [px, py] = at(share);
    const hang = long * 0.2 * Math.sin(Math.PI * Math.min(1, share * 0.9 + 0.1));
    context.lineTo(px + Math.cos(angle) * long * 0.02, py + hang);
    const [backX, backY] = at(share - 0.5 / leaflets);
    context.lineTo(backX, backY + long * 0.02);
  }
  context.closePath();
}
