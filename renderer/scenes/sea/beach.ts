/** A beach: sand, and surf that runs up, wets the sand and draws back. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { addLand } from '../../elements/land.ts';
import { createSprite } from '../../elements/layer.ts';
import { paintSoftInto } from '../../elements/paint.ts';
import type { Point } from '../../size.ts';
import type { SceneContext } from '../scene.ts';

const depth = 0.5;
/** Surf lines, each a share of a wave behind the previous one. */
const surges = [0, 0.36, 0.7] as const;

export function createBeach(scene: SceneContext) {
  const { size, palette, noise, random, camera } = scene;
  const { width, height } = size;
  const margin = camera.margin(depth);
  const start = random() * 100;
  const shoreAt = (x: number): number =>
    height * (0.85 + 0.035 * (x / width) + noise.at((x / height) * 0.9 + start, start) * 0.022);
  const dim = { dawn: 0.4, day: 0.02, dusk: 0.45, night: 0.8 }[palette.time];
  const dark = mix(palette.middle, palette.shade, 0.6);
  const dry: Color = mix(mix([238, 214, 168], palette.horizon, 0.3), dark, dim);
  const wet = mix(mix([176, 142, 104], palette.low, 0.35), dark, dim + 0.08);
  const sand = paintSand(scene, { dry, wet, shoreAt, margin });
  const foam = mix(mix(white, palette.horizon, 0.22), dark, dim * 0.6);
  const drawSurf = createSurf(scene, { foam, start, shoreAt });

  return (context: SKRSContext2D, view: Camera): void =>
    view.look(context, depth, () => {
      sand.draw(context);
      drawSurf(context, view.second);
    });
}

type Surf = {
  readonly foam: Color;
  readonly start: number;
  shoreAt(x: number): number;
};

function createSurf(scene: SceneContext, { foam, start, shoreAt }: Surf) {
  const { size, palette, noise, unit, camera, brief } = scene;
  const { width, height } = size;
  const margin = camera.margin(depth);
  const water = mix(mix(palette.low, palette.middle, 0.5), palette.horizon, 0.3);
  const step = 12 * unit;
  const points = Math.ceil((width + margin.x * 2) / step) + 1;
  const pace = 0.13 * brief.pace ** 0.6;

  /** Adds the edge of the surf from left to right, or back for `way` -1. */
  function edge(context: SKRSContext2D, line: { share: number; lift: number; way: 1 | -1 }): void {
    for (let index = 0; index <= points; index += 1) {
      const x = -margin.x + (line.way === -1 ? points - index : index) * step;
      const tongue = noise.at((x / height) * 2.6 + start, line.share * 1.4 + line.lift * 9) * 0.02;
      const ripple = noise.at((x / height) * 11 + start, line.lift * 30) * 0.004;
      context.lineTo(x, shoreAt(x) + height * (line.share + tongue + ripple));
    }
  }

  return (context: SKRSContext2D, second: number): void => {
    for (const [lift, offset] of surges.entries()) {
      const run = runOf(second * pace + offset);
      const share = -0.075 + run * (0.075 + 0.014 * lift);
      const fresh = 0.35 + 0.65 * run;
      context.fillStyle = css(water, 0.3);
      context.beginPath();
      edge(context, { share, lift, way: 1 });
      edge(context, { share: -0.1, lift: lift + 1, way: -1 });
      context.fill();
      for (const [behind, alpha, wide] of [
        [0.007, 0.26, 11],
        [0, 0.85, 3.2],
      ] as const) {
        context.strokeStyle = css(foam, alpha * fresh);
        context.lineWidth = wide * unit;
        context.beginPath();
        edge(context, { share: share - behind, lift, way: 1 });
        context.stroke();
      }
    }
  };
}

function runOf(turn: number): number {
  const share = turn - Math.floor(turn);
  return share < 0.35
    ? Math.sin((share / 0.35) * (Math.PI / 2))
    : Math.cos(((share - 0.35) / 0.65) * (Math.PI / 2)) ** 1.3;
}

type BeachSand = {
  readonly dry: Color;
  readonly wet: Color;
  readonly margin: Point;
  shoreAt(x: number): number;
};

function paintSand(scene: SceneContext, { dry, wet, margin, shoreAt }: BeachSand) {
  const { size, palette, noise, random } = scene;
  const { width, height } = size;
  const box = {
    left: -margin.x - 4,
    right: width + margin.x + 4,
    top: height * 0.76,
    bottom: height + margin.y + 2,
  };
  const start = random() * 100;
  return createSprite(box, (context) => {
    context.beginPath();
    addLand(context, box, (x) => shoreAt(x) - height * 0.012);
    context.clip();
    paintSoftInto(context, { box, coarseness: 4, random, grain: 20 }, (x, y) => {
      const above = (y - shoreAt(x)) / height;
      const hollow = noise.rough((x / height) * 3.4 + start, (y / height) * 9, 3);
      const wetness = Math.min(1, Math.max(0, 1 - above / 0.034));
      const color = mix(mix(dry, palette.shade, 0.1 - hollow * 0.16), wet, wetness * 0.9);
      return mix(color, mix(palette.horizon, palette.low, 0.4), wetness * 0.3);
    });
  });
}
