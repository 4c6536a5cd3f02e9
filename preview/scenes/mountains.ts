/** Ridge behind ridge in the mist, under a wide sky; the camera travels along them. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../camera.ts';
import { type Colour, css, mix } from '../colour.ts';
import { between } from '../random.ts';
import { createAir } from './air.ts';
import type { Scene, Setting } from './scene.ts';
import { createSky } from './sky.ts';

type Ridge = {
  /** Height of the land's edge from the frame's top, in pixels, one a step. */
  readonly edge: Float32Array;
  readonly highest: number;
  readonly lowest: number;
  readonly colour: Colour;
  /** The mist it fades into further down. */
  readonly foot: Colour;
  readonly depth: number;
  /** Where the first point stands, left of the frame. */
  readonly left: number;
};

const ridgesCount = 6;
const horizon = 0.64;

export function createMountains(setting: Setting): Scene {
  const { size, random } = setting;
  const { height } = size;
  const sun = {
    x: between(random, { from: 0.3, to: 0.7 }),
    y: between(random, { from: 0.3, to: 0.4 }),
  };
  const step = Math.max(2, 4 * setting.unit);
  const ridges = Array.from({ length: ridgesCount }, (_, index) => ridgeOf(setting, step, index));
  const sky = createSky(setting, { horizon, sun, reach: (ridges[0]!.lowest + step) / height });
  const air = createAir(setting, { horizon });

  function drawRidge(context: SKRSContext2D, index: number, camera: Camera): void {
    const ridge = ridges[index]!;
    // What the next ridge hides anyway is not filled.
    const bottom = (ridges[index + 1]?.lowest ?? height * 1.1) + step * 4 + height * 0.06;
    const fill = context.createLinearGradient(0, ridge.highest, 0, ridge.highest + height * 0.32);
    fill.addColorStop(0, css(ridge.colour));
    fill.addColorStop(1, css(ridge.foot));
    camera.look(context, ridge.depth, () => {
      context.fillStyle = fill;
      context.beginPath();
      context.moveTo(ridge.left, bottom);
      for (const [point, y] of ridge.edge.entries()) context.lineTo(ridge.left + point * step, y);
      context.lineTo(ridge.left + (ridge.edge.length - 1) * step, bottom);
      context.fill();
    });
  }

  return {
    draw(context, second) {
      const camera = setting.camera.at(second);
      sky.draw(context, camera);
      air.drawStars(context, second);
      for (let index = 0; index < ridgesCount; index += 1) drawRidge(context, index, camera);
      air.drawSpecks(context, second);
    },
  };
}

function ridgeOf(setting: Setting, step: number, index: number): Ridge {
  const { size, palette, noise, random } = setting;
  const nearness = (index + 0.6) / ridgesCount;
  const base = horizon - 0.03 + nearness * 0.3;
  const rise = 0.2 - index * 0.016;
  const depth = nearness ** 2;
  const margin = setting.camera.margin(depth).x;
  const start = random() * 200;
  const row = index * 7.3 + random() * 20;
  const points = Math.ceil((size.width + margin * 2) / step) + 4;
  const stretch = 1.9 - nearness * 0.9;
  const edge = Float32Array.from({ length: points }, (_, point) => {
    const x = ((point * step) / size.height) * stretch + start;
    const rises = noise.rough(x, row, 5) + Math.abs(noise.at(x * 0.55, row + 3)) * 0.9;
    return size.height * (base - rises * rise);
  });
  const mist = mix(palette.horizon, palette.low, 0.35);
  const colour = mix(mix(palette.horizon, palette.low, 0.55), palette.shade, nearness ** 0.82);
  return {
    edge,
    highest: edge.reduce((one, other) => Math.min(one, other)),
    lowest: edge.reduce((one, other) => Math.max(one, other)),
    colour,
    foot: mix(colour, mist, 0.72 * (1 - nearness * 0.9)),
    depth,
    left: -margin - step,
  };
}
