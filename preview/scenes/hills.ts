/** Ridge behind ridge in the mist, under a wide sky; the camera travels along them. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, mix } from '../colour.ts';
import { between } from '../random.ts';
import { createAir } from './air.ts';
import { cameraAt, type Scene, type Setting, zoomed } from './scene.ts';
import { createSky } from './sky.ts';

type Ridge = {
  /** Height of the land's edge from the frame's top, in pixels, one a step. */
  readonly edge: Float32Array;
  readonly highest: number;
  readonly lowest: number;
  readonly colour: Colour;
  /** The mist it fades into further down. */
  readonly foot: Colour;
  /** Share of the camera's travel this layer takes; the nearest moves most. */
  readonly parallax: number;
};

const ridgesCount = 6;
const horizon = 0.64;

export function createHills(setting: Setting): Scene {
  const { size, random, seconds } = setting;
  const { width, height } = size;
  const sun = {
    x: between(random, { from: 0.3, to: 0.7 }),
    y: between(random, { from: 0.3, to: 0.4 }),
  };
  const step = Math.max(2, 4 * setting.unit);
  const ridges = Array.from({ length: ridgesCount }, (_, index) => ridgeOf(setting, step, index));
  const sky = createSky(setting, { horizon, sun, reach: (ridges[0]!.lowest + step) / height });
  const air = createAir(setting, { horizon });

  function drawRidge(context: SKRSContext2D, index: number, travel: number): void {
    const ridge = ridges[index]!;
    // What the next ridge hides anyway is not filled.
    const bottom = (ridges[index + 1]?.lowest ?? height) + step;
    const shift = travel * height * ridge.parallax;
    const fill = context.createLinearGradient(0, ridge.highest, 0, ridge.highest + height * 0.32);
    fill.addColorStop(0, css(ridge.colour));
    fill.addColorStop(1, css(ridge.foot));
    context.fillStyle = fill;
    context.beginPath();
    const first = Math.floor(shift / step);
    const last = Math.min(ridge.edge.length - 1, first + Math.ceil(width / step) + 2);
    context.moveTo(first * step - shift, bottom);
    for (let point = first; point <= last; point += 1) {
      context.lineTo(point * step - shift, ridge.edge[point]!);
    }
    context.lineTo(last * step - shift, bottom);
    context.fill();
  }

  return {
    draw(context, second) {
      const camera = cameraAt(second, seconds);
      zoomed(context, { size, zoom: camera.zoom }, () => {
        sky.draw(context, camera);
        air.drawStars(context, second);
        for (let index = 0; index < ridgesCount; index += 1) {
          drawRidge(context, index, camera.travel);
        }
      });
      air.drawSpecks(context, second);
    },
  };
}

function ridgeOf(setting: Setting, step: number, index: number): Ridge {
  const { size, palette, noise, random } = setting;
  const nearness = (index + 0.6) / ridgesCount;
  const base = horizon - 0.03 + nearness * 0.3;
  const rise = 0.2 - index * 0.016;
  const parallax = 0.1 + nearness ** 2 * 1.1;
  const start = random() * 200;
  const row = index * 7.3 + random() * 20;
  const travelMax = cameraAt(setting.seconds, setting.seconds).travel * size.height;
  const points = Math.ceil((size.width + travelMax * parallax) / step) + 4;
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
    parallax,
  };
}
