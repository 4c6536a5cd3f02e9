/** Cars on a street in perspective: at night trails of light that come and go, by day the cars. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css } from '../../color.ts';
import { wrap } from '../../motion.ts';
import { between, type Random } from '../../random.ts';
import { project, type View } from './quarter.ts';

export type Traffic = { draw(context: SKRSContext2D, second: number): void };

export type TrafficPlan = {
  readonly view: View;
  readonly near: number;
  readonly far: number;
  readonly count: number;
  /** Lengths of the world in a second. */
  readonly speed: number;
  readonly isNight: boolean;
};

const heads: Color = [255, 240, 205];
const tails: Color = [255, 58, 44];

export function createTraffic(random: Random, plan: TrafficPlan): Traffic {
  const { view, near, far, isNight } = plan;
  const cars = Array.from({ length: plan.count }, (_, index) => ({
    // Those on the left come, those on the right go.
    side: index % 2 === 0 ? -1 : 1,
    lane: (Math.floor(index / 2) % 2) * 0.36 + 0.28,
    phase: random(),
    pace: between(random, { from: 0.8, to: 1.2 }),
    length: between(random, { from: 0.6, to: 1.5 }),
  }));
  type Car = (typeof cars)[number];

  /** A strip on the street, as wide as told, narrower the farther it is. */
  function addStrip(
    context: SKRSContext2D,
    { across, from, to, half }: { across: number; from: number; to: number; half: number },
  ): void {
    const corner = (side: number, away: number) =>
      project(view, { across: across + side * half, up: 0.06, away });
    const corners = [corner(-1, from), corner(1, from), corner(1, to), corner(-1, to)];
    for (const [index, { x, y }] of corners.entries()) {
      if (index === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
  }

  function fillStrips(
    context: SKRSContext2D,
    moving: readonly (Car & { readonly away: number })[],
    shape: { readonly half: number; readonly longer: number; readonly apart: number },
  ): void {
    context.beginPath();
    for (const { side, lane, away, length } of moving) {
      const to = Math.min(far, away + length * shape.longer);
      for (const pair of shape.apart > 0 ? [-shape.apart, shape.apart] : [0]) {
        addStrip(context, { across: side * lane + pair, from: away, to, half: shape.half });
      }
    }
    context.fill();
  }

  return {
    draw(context, second) {
      const span = far - near;
      const moving = cars.map((car) => {
        const way = wrap(car.phase + (car.side * second * plan.speed * car.pace) / span);
        return { ...car, away: near + span * way };
      });
      if (isNight) context.globalCompositeOperation = 'lighter';
      for (const side of [-1, 1]) {
        const own = moving.filter((car) => car.side === side);
        const color = side === -1 ? heads : tails;
        if (!isNight) {
          context.fillStyle = css(side === -1 ? [226, 224, 218] : [150, 46, 40], 0.9);
          fillStrips(context, own, { half: 0.07, longer: 0.35, apart: 0 });
          continue;
        }
        context.fillStyle = css(color, 0.1);
        fillStrips(context, own, { half: 0.17, longer: 1.6, apart: 0 });
        context.fillStyle = css(color, 0.34);
        fillStrips(context, own, { half: 0.022, longer: 1.3, apart: 0.06 });
        context.fillStyle = css(color, 0.8);
        fillStrips(context, own, { half: 0.026, longer: 0.22, apart: 0.06 });
      }
      context.globalCompositeOperation = 'source-over';
    },
  };
}
