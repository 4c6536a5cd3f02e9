/**
 * Rings around a planet: many fine bands, with the far half behind it and the near half in front.
 */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp, smooth } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

type RingsPlan = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** Tilt in radians, and how open the rings are: 1 is a circle. */
  readonly lean: number;
  readonly open: number;
  readonly colors: readonly [Color, Color];
};

type Rings = {
  paintBehind(context: SKRSContext2D): void;
  paintBefore(context: SKRSContext2D): void;
};

/** Inner and outer edge, in radii of the planet. */
const [inner, outer] = [1.32, 2.28];
const bandsCount = 64;

export function createRings(scene: SceneContext, plan: RingsPlan): Rings {
  const { noise, random } = scene;
  const start = random() * 50;
  const denseAt = (share: number): number => {
    const grain = 0.55 + noise.at(share * 9, start) * 0.5 + noise.at(share * 41, start) * 0.3;
    const gap = 1 - Math.exp(-(((share - 0.66) / 0.028) ** 2)) * 0.95;
    const ends = smooth(share, { from: 0, to: 0.12 }) * smooth(share, { from: 1, to: 0.93 });
    return clamp(grain) * gap * ends;
  };
  const image = paintRings(plan, denseAt);
  const draw = (context: SKRSContext2D, half: 'behind' | 'before'): void => {
    const { width, height } = image;
    const reach = plan.radius * outer;
    const top = half === 'behind' ? 0 : height / 2;
    context.save();
    context.translate(plan.x, plan.y);
    context.rotate(plan.lean);
    context.scale(1, plan.open);
    const y = half === 'behind' ? -reach : 0;
    context.drawImage(image, 0, top, width, height / 2, -reach, y, reach * 2, reach);
    context.restore();
  };
  return {
    paintBehind: (context) => draw(context, 'behind'),
    paintBefore: (context) => draw(context, 'before'),
  };
}

function paintRings(plan: RingsPlan, denseAt: (share: number) => number): Canvas {
  const side = Math.ceil(Math.min(1400, plan.radius * outer * 2));
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const middle = side / 2;
  const radiusAt = (share: number): number => (middle * (inner + share * (outer - inner))) / outer;
  context.lineWidth = (radiusAt(1) - radiusAt(0)) / bandsCount + 0.6;
  for (let band = 0; band < bandsCount; band += 1) {
    const share = (band + 0.5) / bandsCount;
    const color = mix(mix(plan.colors[0], plan.colors[1], share), white, denseAt(share) * 0.25);
    context.strokeStyle = css(color, denseAt(share) * 0.82);
    context.beginPath();
    context.arc(
      middle,
      middle,
      Math.min(radiusAt(share), middle - context.lineWidth),
      0,
      Math.PI * 2,
    );
    context.stroke();
  }
  return canvas;
}
