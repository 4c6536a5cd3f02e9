/** A castle on a crag: towers with pointed roofs, and lit windows after dark. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';
import { fillPath } from '../../elements/paths.ts';

type CastlePlan = {
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly wall: Color;
  readonly lit: Color;
  readonly lamp: Color | null;
};

const towers = [
  [-0.5, 0.42, 0.1],
  [-0.3, 0.62, 0.12],
  [-0.06, 1, 0.15],
  [0.2, 0.7, 0.12],
  [0.42, 0.5, 0.11],
] as const;

export function paintCastle(
  context: SKRSContext2D,
  { x, y, tall, wall, lit, lamp }: CastlePlan,
): void {
  context.save();
  context.translate(x, y);
  context.scale(tall, tall);
  const crag = 'M-1.1 .7L-.84 .26L-.74 .2L-.56-.12H.48L.6 .1L.74 .16L1.1 .7Z';
  fillPath(context, wall, crag);
  context.fillRect(-0.52, -0.3, 0.96, 0.3);
  for (let battlement = -0.5; battlement < 0.42; battlement += 0.07) {
    context.fillRect(battlement, -0.34, 0.036, 0.05);
  }
  for (const [at, high, wide] of towers) {
    const side = context.createLinearGradient(at - wide / 2, 0, at + wide / 2, 0);
    side.addColorStop(0, css(lit));
    side.addColorStop(0.6, css(wall));
    context.fillStyle = side;
    context.fillRect(at - wide / 2, -high * 0.72, wide, high * 0.72);
    const eaves = -high * 0.7;
    fillPath(context, side, `M${at - wide * 0.62} ${eaves}h${wide * 1.24}L${at} ${-high}Z`);
    if (!lamp) continue;
    context.fillStyle = css(lamp);
    context.fillRect(at - 0.012, -high * 0.6, 0.024, 0.05);
    context.fillRect(at - 0.012, -high * 0.36, 0.024, 0.045);
  }
  context.restore();
}
