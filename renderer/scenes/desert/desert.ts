/** Rows of dunes under a wide sky. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix, white } from '../../color.ts';
import { createLandscape } from '../../elements/atmosphere.ts';
import {
  createLand,
  type Land,
  type LandPlan,
  type LandSpan,
  landSpan,
} from '../../elements/land.ts';
import type { Edges } from '../../elements/layer.ts';
import { paintSoftInto } from '../../elements/paint.ts';
import { placeSun } from '../../elements/sun.ts';
import { clamp, smooth } from '../../motion.ts';
import type { Scene, SceneContext } from '../scene.ts';

const horizon = 0.6;

type Sand = {
  readonly lit: Color;
  readonly shade: Color;
  readonly haze: Color;
  readonly sunSide: 1 | -1;
};

const steps = [
  { depth: 0.05, base: 0.63, rise: 0.05, wide: 0.5, ripples: 0 },
  { depth: 0.16, base: 0.7, rise: 0.12, wide: 0.8, ripples: 0 },
  { depth: 0.36, base: 0.82, rise: 0.17, wide: 1.1, ripples: 0.5 },
  { depth: 0.75, base: 1.02, rise: 0.22, wide: 1.5, ripples: 1 },
] as const;

export function createDesert(scene: SceneContext): Scene {
  const sun = placeSun(scene, {
    x: { from: 0.22, to: 0.78 },
    y: { from: 0.38, to: 0.44 },
    lift: { day: 0.22, night: 0.16 },
  });
  const dunes = dunesOf(scene, sandOf(scene, sun.x));
  const reach = Math.min(1, dunes[0]!.lowest / scene.size.height + 0.02);
  return createLandscape(scene, { horizon, sun, reach }, () => dunes.map(({ draw }) => draw));
}

function sandOf({ palette }: SceneContext, sunX: number): Sand {
  const { horizon: glow, low, middle, light, shade } = palette;
  const bright = mix([232, 182, 118], mix(glow, light, 0.5), palette.time === 'day' ? 0.3 : 0.45);
  const dark: Color = mix([150, 92, 60], shade, 0.3);
  const night = palette.night;
  return {
    lit: night ? mix(mix(low, middle, 0.25), white, 0.12) : bright,
    shade: night
      ? mix(shade, middle, 0.45)
      : mix(dark, mix(middle, shade, 0.5), palette.time === 'day' ? 0.2 : 0.6),
    haze: mix(glow, low, 0.4),
    sunSide: sunX < 0.5 ? -1 : 1,
  };
}

function dunesOf(scene: SceneContext, sand: Sand): readonly Land[] {
  const dunes: Land[] = [];
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const hazy = [0.72, 0.46, 0.2, 0][index]!;
    const hidden = dunes[0]?.lowest ?? null;
    dunes.unshift(createDune(scene, { ...steps[index]!, ...sand, hazy, hidden }));
  }
  return dunes;
}

type DunePlan = Pick<LandPlan, 'depth' | 'hidden'> & {
  /** Where the foot is and how high the dunes rise, as shares of the frame height. */
  readonly base: number;
  readonly rise: number;
  readonly wide: number;
  readonly lit: Color;
  readonly shade: Color;
  /** The air in front of the dunes and its strength, from 0 to 1. */
  readonly haze: Color;
  readonly hazy: number;
  /** -1 when the sun is on the left. The other side lies in shadow. */
  readonly sunSide: 1 | -1;
  readonly ripples: number;
};

type Heap = {
  readonly x: number;
  readonly wide: number;
  readonly tall: number;
  readonly bend: number;
};

function createDune(scene: SceneContext, plan: DunePlan): Land {
  const heaps = heapsOf(scene, plan, landSpan(scene, plan.depth));
  const edgeAt = (x: number): number =>
    scene.size.height * plan.base - topHeapAt(heaps, plan, x).tall;
  return createLand(scene, {
    depth: plan.depth,
    hidden: plan.hidden,
    edgeAt,
    paint: (context, box) => paintSand(context, scene, { ...plan, heaps, box }),
  });
}

function heapsOf(scene: SceneContext, plan: DunePlan, { left, right }: LandSpan): readonly Heap[] {
  const { size, random } = scene;
  const side = Math.min(size.height, size.width * 1.3);
  const gap = side * plan.wide * 0.5;
  const beyond = size.height * 0.6;
  const heaps: Heap[] = [];
  for (
    let x = left - beyond - gap * random();
    x < right + beyond;
    x += gap * (0.75 + random() * 0.6)
  ) {
    heaps.push({
      x,
      wide: side * plan.wide * (0.75 + random() * 0.6),
      tall: side * plan.rise * (0.5 + random() * 0.7),
      bend: (random() - 0.35) * 0.9,
    });
  }
  return heaps;
}

type TopHeap = {
  readonly heap: Heap;
  readonly tall: number;
  /** How much higher it is than the next highest heap. */
  readonly lead: number;
};

/** Returns the heap that is highest at a position, and its height there. */
function topHeapAt(heaps: readonly Heap[], { sunSide }: DunePlan, x: number): TopHeap {
  let [top, most, next] = [heaps[0]!, 0, 0];
  for (const heap of heaps) {
    const away = ((x - heap.x) / heap.wide) * -sunSide;
    const share = away < 0 ? 1 + away / 1.05 : 1 - away / 0.62;
    if (share <= 0) continue;
    const tall = heap.tall * (away < 0 ? share * share * (3 - 2 * share) : share ** 1.25);
    if (tall > most) [top, most, next] = [heap, tall, most];
    else next = Math.max(next, tall);
  }
  return { heap: top, tall: most, lead: most - next };
}

type DuneSand = DunePlan & { readonly heaps: readonly Heap[]; readonly box: Edges };

function paintSand(context: SKRSContext2D, scene: SceneContext, plan: DuneSand): void {
  const { size, noise, random, unit } = scene;
  // Crests and ripples need detail; distant dunes have none.
  const coarseness = plan.ripples > 0 ? 3 : 4;
  const base = size.height * plan.base;
  const start = random() * 100;
  // One entry per computed column, with room on both sides for hollows that run at an angle.
  const first = plan.box.left - (plan.box.bottom - plan.box.top) * 1.2;
  const count = Math.ceil((plan.box.right - first * 2 + plan.box.left) / coarseness);
  const topHeaps = Array.from({ length: count }, (_, index) =>
    topHeapAt(plan.heaps, plan, first + index * coarseness),
  );
  const topHeapOf = (x: number): TopHeap =>
    topHeaps[clamp(Math.round((x - first) / coarseness), 0, count - 1)]!;
  const pitch = (5 + 16 * plan.depth) * unit;
  paintSoftInto(context, { box: plan.box, coarseness, random, grain: 5 }, (x, y) => {
    const below = y - (base - topHeapOf(x).tall);
    if (below < -coarseness * 2) return plan.lit;
    // The hollow between two heaps runs down at an angle, so that a shadow ends in a point.
    const { heap, lead } = topHeapOf(x - plan.sunSide * Math.max(0, below) * 1.15);
    // The crest winds down towards the viewer; the shadow lies beyond it.
    const down = Math.max(0, y - (base - heap.tall)) / (heap.tall * 2.4 + 1);
    const wind = heap.bend * down + Math.sin(down * 4.2 + heap.bend * 9) * 0.13 * down;
    const crest = heap.x + wind * heap.wide * -plan.sunSide;
    const waver = noise.at((y / size.height) * 7 + heap.x, start) * heap.wide * 0.03 * down;
    const beyond = (x - crest - waver) * -plan.sunSide;
    const dark = smooth(beyond, { from: -1.5 * unit, to: (3 + down * 60) * unit });
    // A shadow ends where the next heap begins, and fades towards the foot.
    const ends = smooth(lead / heap.tall, { from: 0, to: 0.42 });
    const fades = smooth(down, { from: 1.25, to: 0 }) * ends;
    const swell = noise.rough((x / size.height) * 2.2 + start, (y / size.height) * 5, 3);
    const ripple = rippleAt(x, y, below);
    const light = clamp(1 - dark * (0.1 + 0.66 * fades) + swell * 0.22 + ripple * (1 - dark * 0.5));
    const sand = mix(plan.shade, plan.lit, light);
    const far = plan.hazy * (1 - 0.35 * smooth(below, { from: 0, to: size.height * 0.2 }));
    return mix(sand, plan.haze, far);
  });

  function rippleAt(x: number, y: number, below: number): number {
    if (plan.ripples <= 0) return 0;
    const bend = noise.rough((x / size.height) * 3 + start, (y / size.height) * 3 + 50, 2);
    const phase = (y + x * 0.16 * plan.sunSide) / pitch + bend * 7;
    const strength = plan.ripples * smooth(below, { from: 0, to: size.height * 0.06 });
    return Math.sin(phase * Math.PI * 2) * 0.09 * strength;
  }
}
