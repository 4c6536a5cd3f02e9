/**
 * A row of dunes: gentle on the side the wind comes from, steep on the other, with a winding crest
 * between light and shadow, and ripples in the sand.
 */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Color, mix } from '../../color.ts';
import {
  createLand,
  type Land,
  type LandPlan,
  type LandSpan,
  landSpan,
} from '../../elements/land.ts';
import type { Edges } from '../../elements/layer.ts';
import { paintSoftInto } from '../../elements/paint.ts';
import { clamp, smooth } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

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

export function createDune(scene: SceneContext, plan: DunePlan): Land {
  const heaps = heapsOf(scene, plan, landSpan(scene, plan.depth));
  const edgeAt = (x: number): number =>
    scene.size.height * plan.base - topHeapAt(heaps, plan, x).tall;
  return createLand(scene, {
    ...{ depth: plan.depth, hidden: plan.hidden, edgeAt },
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

  /** Fine ripples, closer together farther away. */
  function rippleAt(x: number, y: number, below: number): number {
    if (plan.ripples <= 0) return 0;
    const bend = noise.rough((x / size.height) * 3 + start, (y / size.height) * 3 + 50, 2);
    const phase = (y + x * 0.16 * plan.sunSide) / pitch + bend * 7;
    const strength = plan.ripples * smooth(below, { from: 0, to: size.height * 0.06 });
    return Math.sin(phase * Math.PI * 2) * 0.09 * strength;
  }
}
