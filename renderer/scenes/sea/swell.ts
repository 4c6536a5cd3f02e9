/** A heavy sea: ranks of waves that roll past each other, with foam and spray on their crests. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Camera } from '../../camera.ts';
import { type Color, css, mix, white } from '../../color.ts';
import { paintMask } from '../../elements/paint.ts';
import { clamp, smooth } from '../../motion.ts';
import { glowOf, type SceneContext } from '../scene.ts';

export type SwellPlan = { readonly horizon: number };

export const ranksCount = 7;

type Rank = {
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

/** Where they go, -1 is left, and how fast. */
type Wind = { readonly way: 1 | -1; readonly pace: number };

export function createSwell(setting: SceneContext, { horizon }: SwellPlan) {
  const { random, brief } = setting;
  const wind: Wind = { way: random() < 0.5 ? -1 : 1, pace: 0.7 + 0.3 * brief.pace };
  const ranks = ranksOf(setting, horizon);
  const drawFoam = createFoam(setting, wind);
  return {
    /** How far the water is lifted where a ship rides, in pixels. */
    liftAt: (x: number, second: number): number => waveAt(ranks[3]!, wind, { x, second }).up,
    draw(context: SKRSContext2D, seen: Camera, range: { from: number; to: number }): void {
      for (const rank of ranks.slice(range.from, range.to)) {
        seen.look(context, rank.depth, () => {
          drawRank(context, setting, {
            rank,
            wind,
            next: ranks[rank.index + 1],
            second: seen.second,
          });
          drawFoam(context, rank, seen.second);
        });
      }
    },
  };
}

function ranksOf({ size, palette, random }: SceneContext, horizon: number): readonly Rank[] {
  const { width, height } = size;
  const { middle, low, shade, night } = palette;
  const deep = mix(mix(middle, shade, 0.5), [22, 44, 58], night ? 0.2 : 0.5);
  const clear = mix(mix(low, palette.horizon, 0.3), [86, 132, 138], 0.45);
  return Array.from({ length: ranksCount }, (_, index) => {
    const near = (index + 1) / ranksCount;
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

/** Three waves of different lengths ride on each other: groups of high ones come and go. */
function waveAt(rank: Rank, { way, pace }: Wind, at: { x: number; second: number }) {
  const time = way * at.second * pace * (1.5 - rank.near * 0.55);
  const place = (at.x / rank.long) * Math.PI * 2;
  const first = place + rank.phase - time;
  const other = place * 0.57 + rank.phase * 3 - time * 0.7;
  const third = place * 2.3 + rank.phase * 7 - time * 1.7;
  const group = 0.62 + 0.38 * Math.sin(other * 0.5 + rank.phase);
  const up = Math.cos(first) * group + 0.5 * Math.cos(other) + 0.13 * Math.cos(third);
  // Water runs towards the crests, which makes them narrow, and they lean where they go.
  const aside = -Math.sin(first) * group * 1.1 + way * 0.5 * Math.max(0, up) ** 2;
  return { up: up * rank.rise, x: at.x + aside * rank.rise };
}

type RankMoment = {
  readonly rank: Rank;
  readonly wind: Wind;
  readonly next: Rank | undefined;
  readonly second: number;
};

function drawRank(context: SKRSContext2D, setting: SceneContext, moment: RankMoment): void {
  const { size, palette, unit, camera } = setting;
  const { rank, wind, next, second } = moment;
  const step = (8 + 8 * rank.near) * unit;
  const margin = camera.margin(rank.depth).x + rank.rise * 2 + step;
  const end = size.height + camera.margin(1).y + rank.rise * 2;
  const bottom = next ? next.base + next.rise * 1.9 : end;
  const top = rank.base - rank.rise * 1.5;
  const fill = context.createLinearGradient(0, top, 0, rank.base + rank.rise * 2);
  fill.addColorStop(0, css(rank.crest));
  fill.addColorStop(0.3, css(mix(rank.crest, rank.body, 0.6)));
  fill.addColorStop(0.6, css(rank.body));
  fill.addColorStop(1, css(mix(rank.body, palette.shade, 0.4)));
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(-margin * 1.5, bottom);
  for (let x = -margin; x <= size.width + margin; x += step) {
    const wave = waveAt(rank, wind, { x, second });
    context.lineTo(wave.x, rank.base - wave.up);
  }
  context.lineTo(size.width + margin * 1.5, bottom);
  context.fill();
}

function createFoam(setting: SceneContext, wind: Wind) {
  const { size, palette, unit, camera } = setting;
  const foam = mix(mix(palette.horizon, palette.light, 0.5), white, 0.5);
  const spray = glowOf(foam, 48);
  const caps = [0, 1, 2].map(() => capOf(setting, foam));

  function drawCap(context: SKRSContext2D, rank: Rank, at: { x: number; up: number }): void {
    const strength = smooth(at.up / rank.rise, { from: 0.3, to: 1.3 });
    if (strength <= 0.02) return;
    const half = rank.long * (0.07 + 0.1 * strength);
    // The foam hangs over the side to which the wave runs.
    context.save();
    context.translate(at.x, rank.base - at.up - unit);
    context.scale(wind.way, 1);
    context.globalAlpha = clamp(0.2 + 0.75 * strength);
    const cap = caps[rank.index % caps.length]!;
    context.drawImage(cap, -half * 1.25, 0, half * 2.2, rank.rise * (0.5 + 0.6 * strength));
    if (rank.near > 0.3) {
      const wide = rank.rise * (1 + 1.8 * strength);
      context.globalAlpha = 0.2 * strength;
      context.drawImage(spray, -wide * 0.2, -wide * 0.45, wide, wide * 0.7);
    }
    context.restore();
  }

  /** Wherever a crest stands, found where the wave turns from rising to falling. */
  return (context: SKRSContext2D, rank: Rank, second: number): void => {
    const step = rank.long / 16;
    const margin = camera.margin(rank.depth).x + rank.long;
    const wave = (x: number) => waveAt(rank, wind, { x, second });
    const first = Math.floor(-margin / step) * step;
    let [before, here] = [wave(first), wave(first + step)];
    for (let x = first + step * 2; x < size.width + margin; x += step) {
      const after = wave(x);
      if (here.up > before.up && here.up >= after.up) {
        // Between the three the true crest: it must glide, not jump from step to step.
        const bend = before.up - 2 * here.up + after.up;
        const shift = bend === 0 ? 0 : ((before.up - after.up) / (2 * bend)) * step;
        drawCap(context, rank, wave(x - step + shift));
      }
      [before, here] = [here, after];
    }
  };
}

/** A breaking crest: white along its curved top, torn into laces below. */
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
