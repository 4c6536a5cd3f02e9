/** A storm at sea: rows of waves that roll past each other, with foam on their crests. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { paintMask } from '../../elements/paint.ts';
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
  const drawFoam = createFoam(scene, wind);
  return {
    liftAt: (x: number, second: number): number => waveAt(rows[3]!, wind, { x, second }).up,
    draw(context: SKRSContext2D, view: Camera, range: { from: number; to: number }): void {
      for (const row of rows.slice(range.from, range.to)) {
        view.look(context, row.depth, () => {
          drawRow(context, scene, {
            row,
            wind,
            next: rows[row.index + 1],
            second: view.second,
          });
          drawFoam(context, row, view.second);
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
      ...{ index, near, body },
      depth: near * 0.55,
      base: height * (horizon + 0.012 + (1.0 - horizon) * near ** 1.45),
      rise: Math.min(height, width * 1.2) * (0.009 + 0.066 * near ** 1.15),
      long: height * (0.2 + 0.85 * near),
      phase: random() * 100,
      crest: mix(body, clear, night ? 0.36 : 0.62),
    };
  });
}

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

function createFoam(scene: SceneContext, wind: Wind) {
  const { size, palette, unit, camera } = scene;
  const foam = mix(mix(palette.horizon, palette.light, 0.5), white, 0.5);
  const caps = [0, 1, 2].map(() => capOf(scene, foam));

  function drawCap(context: SKRSContext2D, row: WaveRow, at: { x: number; up: number }): void {
    const strength = smooth(at.up / row.rise, { from: 0.3, to: 1.3 });
    if (strength <= 0.02) return;
    const half = row.long * (0.07 + 0.1 * strength);
    context.save();
    context.translate(at.x, row.base - at.up - unit);
    context.scale(wind.way, 1);
    context.globalAlpha = clamp(0.2 + 0.75 * strength);
    const cap = caps[row.index % caps.length]!;
    context.drawImage(cap, -half * 1.25, 0, half * 2.2, row.rise * (0.5 + 0.6 * strength));
    context.restore();
  }

  /** Finds crests where the wave turns from rising to falling. */
  return (context: SKRSContext2D, row: WaveRow, second: number): void => {
    const step = row.long / 16;
    const margin = camera.margin(row.depth).x + row.long;
    const wave = (x: number) => waveAt(row, wind, { x, second });
    const first = Math.floor(-margin / step) * step;
    let [before, here] = [wave(first), wave(first + step)];
    for (let x = first + step * 2; x < size.width + margin; x += step) {
      const after = wave(x);
      if (here.up > before.up && here.up >= after.up) {
        // Interpolates the crest, so that it glides instead of jumping from step to step.
        const bend = before.up - 2 * here.up + after.up;
        const shift = bend === 0 ? 0 : ((before.up - after.up) / (2 * bend)) * step;
        drawCap(context, row, wave(x - step + shift));
      }
      [before, here] = [here, after];
    }
  };
}

function capOf({ noise, random }: SceneContext, color: Color) {
  const [wide, tall] = [192, 56];
  const [startX, startY] = [random() * 100, random() * 100];
  return paintMask({ width: wide, height: tall }, { coarseness: 1, color }, (px, py) => {
    const across = (px / wide) * 2 - 1;
    const below = py / tall - across * across * 0.42;
    if (below < 0) return 0;
    const ends = smooth(Math.abs(across), { from: 1, to: 0.25 });
    const torn = noise.rough(across * 5 + startX, below * 3.4 + startY, 3);
    const body = smooth(below, { from: 0.3, to: 0.02 });
    const lace = smooth(torn, { from: 0.02, to: 0.26 }) * smooth(below, { from: 0.62, to: 0.06 });
    return (
      ends * Math.max(body * (0.75 + torn * 0.5), lace * 0.6) * smooth(below, { from: 0, to: 0.04 })
    );
  });
}
