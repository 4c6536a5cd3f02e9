/**
 * A row of dunes: gentle on the side the wind comes from, steep on the other, with a winding crest
 * between light and shadow, and ripples on the sand. Painted once.
 */
import type { Camera } from '../../camera.ts';
import { type Color, mix } from '../../color.ts';
import { paintSoft } from '../../elements/paint.ts';
import { drawSoft } from '../../elements/soft.ts';
import { spriteOf } from '../../elements/sprite.ts';
import { clamp, smooth } from '../../motion.ts';
import type { SceneContext } from '../scene.ts';

export type DunePlan = {
  readonly depth: number;
  /** Where its foot stands and how high it rises, as shares of the height. */
  readonly base: number;
  readonly rise: number;
  /** Width of a dune, in frame heights. */
  readonly wide: number;
  readonly lit: Color;
  readonly shade: Color;
  /** What is before it in the air, and how much, from 0 to 1. */
  readonly haze: Color;
  readonly hazy: number;
  /** Where the sun stands: -1 is left. Its side is lit, the other in shadow. */
  readonly sunSide: 1 | -1;
  /** Painted down to here for certain hidden by the next, in pixels; null for the frame's foot. */
  readonly hidden: number | null;
  /** From 0, none to be seen, to 1. */
  readonly ripples: number;
};

export type Dune = {
  readonly depth: number;
  readonly highest: number;
  readonly lowest: number;
  edgeAt(x: number): number;
  draw(context: Parameters<typeof drawSoft>[0], camera: Camera): void;
};

type Heap = {
  readonly x: number;
  readonly wide: number;
  readonly tall: number;
  readonly bend: number;
};

/** Crests are sharp and ripples fine; what is far has none of either. */
const coarsenessOf = ({ ripples }: DunePlan): number => (ripples > 0 ? 3 : 4);

export function createDune(setting: SceneContext, plan: DunePlan): Dune {
  const { size, camera, unit } = setting;
  const { height } = size;
  const margin = camera.margin(plan.depth);
  const [left, right] = [-margin.x - 4, size.width + margin.x + 4];
  const heaps = heapsOf(setting, plan, { left, right });
  const topAt = (x: number): number => height * plan.base - ownerAt(heaps, plan, x).tall;
  let [highest, lowest] = [Infinity, 0];
  for (let x = left; x <= right; x += 4 * unit) {
    highest = Math.min(highest, topAt(x));
    lowest = Math.max(lowest, topAt(x));
  }
  const covered = plan.hidden === null ? Infinity : plan.hidden + height * 0.06;
  const bottom = Math.min(covered, height + margin.y + 2);
  const box = { left, right, top: highest - 2, bottom };
  const sprite = spriteOf(box, (context) => {
    context.beginPath();
    context.moveTo(left, bottom);
    for (let x = left; x <= right + unit; x += unit) context.lineTo(x, topAt(x));
    context.lineTo(right, bottom);
    context.clip();
    context.drawImage(paintSand(setting, plan, { heaps, box }), left, Math.floor(box.top));
  });
  const isFar = plan.depth < 0.12;
  return {
    ...{ depth: plan.depth, highest, lowest, edgeAt: topAt },
    draw(context, seen) {
      if (!isFar) return sprite.look(context, seen, plan.depth);
      const { picture, left: x, top: y } = sprite;
      drawSoft(context, seen, { picture, x, y, depth: plan.depth });
    },
  };
}

function heapsOf(
  setting: SceneContext,
  plan: DunePlan,
  { left, right }: { left: number; right: number },
): readonly Heap[] {
  const { size, random } = setting;
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

type Owner = {
  readonly heap: Heap;
  readonly tall: number;
  /** By how much it stands above the next highest. */
  readonly lead: number;
};

/** The heap that stands highest at a place, and how high it is there. */
function ownerAt(heaps: readonly Heap[], { sunSide }: DunePlan, x: number): Owner {
  let [owner, most, next] = [heaps[0]!, 0, 0];
  for (const heap of heaps) {
    const away = ((x - heap.x) / heap.wide) * -sunSide;
    // A long rise towards the crest, a short fall behind it.
    const share = away < 0 ? 1 + away / 1.05 : 1 - away / 0.62;
    if (share <= 0) continue;
    const tall = heap.tall * (away < 0 ? share * share * (3 - 2 * share) : share ** 1.25);
    if (tall > most) [owner, most, next] = [heap, tall, most];
    else next = Math.max(next, tall);
  }
  return { heap: owner, tall: most, lead: most - next };
}

type Sand = {
  readonly heaps: readonly Heap[];
  readonly box: { left: number; top: number; right: number; bottom: number };
};

function paintSand(setting: SceneContext, plan: DunePlan, { heaps, box }: Sand) {
  const coarseness = coarsenessOf(plan);
  const { size, noise, random, unit } = setting;
  const top = Math.floor(box.top);
  const area = { width: Math.ceil(box.right) - box.left, height: Math.ceil(box.bottom) - top };
  const base = size.height * plan.base;
  const start = random() * 100;
  const columns = Math.ceil(area.width / coarseness) + 2;
  // As far beyond both sides as the hollows between heaps run aslant.
  const beside = Math.ceil((area.height * 1.2) / coarseness);
  const owners = Array.from({ length: columns + beside * 2 }, (_, column) =>
    ownerAt(heaps, plan, box.left + (column - beside - 0.5) * coarseness),
  );
  const columnOf = (px: number): number =>
    clamp(Math.round(px / coarseness + 0.5) + beside, 0, owners.length - 1);
  const pitch = (5 + 16 * plan.depth) * unit;
  return paintSoft(area, { coarseness, random, grain: 5 }, (px, py) => {
    const [x, y] = [px + box.left, py + top];
    const below = y - (base - owners[columnOf(px)]!.tall);
    if (below < -coarseness * 2) return plan.lit;
    // The hollow between two heaps runs down aslant, so that a shadow ends in a point.
    const aslant = px - plan.sunSide * Math.max(0, below) * 1.15;
    const { heap, lead } = owners[columnOf(aslant)]!;
    // The crest winds down towards us: beyond it lies the shadow.
    const down = Math.max(0, y - (base - heap.tall)) / (heap.tall * 2.4 + 1);
    const wind = heap.bend * down + Math.sin(down * 4.2 + heap.bend * 9) * 0.13 * down;
    const crest = heap.x + wind * heap.wide * -plan.sunSide;
    const waver = noise.at((y / size.height) * 7 + heap.x, start) * heap.wide * 0.03 * down;
    const beyond = (x - crest - waver) * -plan.sunSide;
    const dark = smooth(beyond, { from: -1.5 * unit, to: (3 + down * 60) * unit });
    // A shadow ends where the next heap begins, and towards its own foot.
    const ends = smooth(lead / heap.tall, { from: 0, to: 0.42 });
    const fades = smooth(down, { from: 1.25, to: 0 }) * ends;
    const swell = noise.rough((x / size.height) * 2.2 + start, (y / size.height) * 5, 3);
    const ripple = rippleAt(x, y, below);
    const light = clamp(1 - dark * (0.1 + 0.66 * fades) + swell * 0.22 + ripple * (1 - dark * 0.5));
    const sand = mix(plan.shade, plan.lit, light);
    const far = plan.hazy * (1 - 0.35 * smooth(below, { from: 0, to: size.height * 0.2 }));
    return mix(sand, plan.haze, far);
  });

  /** Fine waves of sand, closer together where they are farther away. */
  function rippleAt(x: number, y: number, below: number): number {
    if (plan.ripples <= 0) return 0;
    const bend = noise.rough((x / size.height) * 3 + start, (y / size.height) * 3 + 50, 2);
    const phase = (y + x * 0.16 * plan.sunSide) / pitch + bend * 7;
    const strength = plan.ripples * smooth(below, { from: 0, to: size.height * 0.06 });
    return Math.sin(phase * Math.PI * 2) * 0.09 * strength;
  }
}
