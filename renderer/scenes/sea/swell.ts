/** A storm at sea: rows of waves that roll past each other, with foam on their crests. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { clamp, smooth } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

export const waveRowsCount = 7;

type WaveRow = {
  readonly index: number;
  readonly near: number;
  readonly depth: number;
  readonly base: number;
  readonly rise: number;
  readonly long: number;
  readonly phase: number;
  readonly body: Color;
  readonly crest: Color;
};

/** Direction, where -1 is left, and speed of the waves. */
type Wind = { readonly way: 1 | -1; readonly pace: number };

export function createSwell(scene: SceneContext, { horizon }: { readonly horizon: number }) {
  const { random, brief } = scene;
  const wind: Wind = { way: random() < 0.5 ? -1 : 1, pace: 0.7 + 0.3 * brief.pace };
  const rows = waveRowsOf(scene, horizon);
  return {
    liftAt: (x: number, second: number): number => waveAt(rows[3]!, wind, { x, second }).up,
    draw(context: SKRSContext2D, view: Camera, range: { from: number; to: number }): void {
      for (const row of rows.slice(range.from, range.to)) {
        view.look(context, row.depth, () => {
          const moment = { row, wind, next: rows[row.index + 1], second: view.second };
          drawRow(context, scene, moment);
          drawFoam(context, scene, moment);
        });
      }
    },
  };
}

function waveRowsOf({ size, palette, random }: SceneContext, horizon: number): readonly WaveRow[] {
  const { width, height } = size;
  const { middle, low, shade, night } = palette;
  const deep = mix(mix(middle, shade, 0.5), [22, 44, 58], night ? 0.2 : 0.5);
  const clear = mix(mix(low, palette.horizon, 0.3), [86, 132, 138], 0.45);
  return Array.from({ length: waveRowsCount }, (_, index) => {
    const near = (index + 1) / waveRowsCount;
    const body = mix(mix(deep, low, 0.4 * (1 - near)), shade, 0.1 + 0.3 * near);
    return {
      index,
      near,
      body,
      depth: near * 0.55,
      base: height * (horizon + 0.012 + (1.0 - horizon) * near ** 1.45),
      rise: Math.min(height, width * 1.2) * (0.009 + 0.066 * near ** 1.15),
      long: height * (0.2 + 0.85 * near),
      phase: random() * 100,
      crest: mix(body, clear, night ? 0.36 : 0.62),
    };
  });
}

type Wave = ReturnType<typeof waveAt>;

function waveAt(row: WaveRow, { way, pace }: Wind, at: { x: number; second: number }) {
  const time = way * at.second * pace * (1.5 - row.near * 0.55);
  const place = (at.x / row.long) * Math.PI * 2;
  const first = place + row.phase - time;
  const other = place * 0.57 + row.phase * 3 - time * 0.7;
  const third = place * 2.3 + row.phase * 7 - time * 1.7;
  const group = 0.62 + 0.38 * Math.sin(other * 0.5 + row.phase);
  const up = Math.cos(first) * group + 0.5 * Math.cos(other) + 0.13 * Math.cos(third);
  // Water moves towards the crests, which makes them narrow, and the crests lean forward.
  const aside = -Math.sin(first) * group * 1.1 + way * 0.5 * Math.max(0, up) ** 2;
  return { up: up * row.rise, x: at.x + aside * row.rise };
}

type WaveRowFrame = {
  readonly row: WaveRow;
  readonly wind: Wind;
  readonly next: WaveRow | undefined;
  readonly second: number;
};

function drawRow(context: SKRSContext2D, scene: SceneContext, moment: WaveRowFrame): void {
  const { size, palette, unit, camera } = scene;
  const { row, wind, next, second } = moment;
  const step = (8 + 8 * row.near) * unit;
  const margin = camera.margin(row.depth).x + row.rise * 2 + step;
  const end = size.height + camera.margin(1).y + row.rise * 2;
  const bottom = next ? next.base + next.rise * 1.9 : end;
  const top = row.base - row.rise * 1.5;
  const fill = context.createLinearGradient(0, top, 0, row.base + row.rise * 2);
  fill.addColorStop(0, css(row.crest));
  fill.addColorStop(0.3, css(mix(row.crest, row.body, 0.6)));
  fill.addColorStop(0.6, css(row.body));
  fill.addColorStop(1, css(mix(row.body, palette.shade, 0.4)));
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(-margin * 1.5, bottom);
  for (let x = -margin; x <= size.width + margin; x += step) {
    const wave = waveAt(row, wind, { x, second });
    context.lineTo(wave.x, row.base - wave.up);
  }
  context.lineTo(size.width + margin * 1.5, bottom);
  context.fill();
}

/** Foam on the crests: the higher the wave, the whiter its upper edge. */
function drawFoam(context: SKRSContext2D, scene: SceneContext, moment: WaveRowFrame): void {
  const { size, palette, unit, camera, noise } = scene;
  const { row, wind, second } = moment;
  const step = (5 + 6 * row.near) * unit;
  const margin = camera.margin(row.depth).x + row.rise * 2 + step;
  const foam = mix(mix(palette.horizon, palette.light, 0.5), white, 0.5);
  for (let x = -margin; x <= size.width + margin; x += step) {
    const [here, next] = [x, x + step].map((at) => waveAt(row, wind, { x: at, second })) as [
      Wave,
      Wave,
    ];
    const torn = noise.at((here.x / row.long) * 9 + row.phase, second * 0.8);
    const strength = smooth(here.up / row.rise, { from: 0.35, to: 1.4 }) * (0.75 + torn * 0.5);
    if (strength <= 0.03) continue;
    const thick = row.rise * 0.24 * strength;
    context.fillStyle = css(foam, clamp(0.15 + 0.75 * strength));
    context.beginPath();
    context.moveTo(here.x, row.base - here.up);
    context.lineTo(next.x + unit, row.base - next.up);
    context.lineTo(next.x + unit, row.base - next.up + thick * (0.7 + torn));
    context.lineTo(here.x, row.base - here.up + thick);
    context.fill();
  }
}
