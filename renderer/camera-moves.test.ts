/**
 * A camera move in the prompt changes the image as the words say, in every scene.
 * Thorough: draws every scene with every move.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { paletteFor } from './palette.ts';
import { parsePrompt } from './prompt-brief.ts';
import { noiseFrom, randomFrom } from './random.ts';
import { createScene } from './scenes/choose.ts';
import { resized } from './scenes/enlarged.ts';

const scenes = {
  sea: 'A lighthouse by the sea at noon',
  mountains: 'Snowy mountains at noon',
  city: 'A city skyline at noon',
  space: 'A ringed planet among the stars',
  forest: 'A forest at noon',
  rain: 'Rain on a window',
  snow: 'A snowy village at noon',
  desert: 'The pyramids in the desert at noon',
  fire: 'A campfire',
  flowers: 'A field of flowers at noon',
  flow: 'A secret recipe',
} as const;

/** The direction in which the image moves; `grows` is more than 1 when it comes closer. */
const moves = {
  'the camera pans left': { x: 1 },
  'the camera slowly pans to the right': { x: -1 },
  'pan from right to left': { x: 1 },
  'tracking shot': { x: -1 },
  'the camera tilts up': { y: 1 },
  'crane up': { y: 1 },
  'the camera tilts slowly down': { y: -1 },
  'zoom in': { grows: 1 },
  'zooming slowly out': { grows: -1 },
  'the camera pushes in': { grows: 1 },
  'dolly in': { grows: 1 },
  'the camera pulls back': { grows: -1 },
} as const satisfies Record<string, { x?: number; y?: number; grows?: number }>;

const size = { width: 320, height: 180 };
const small = { width: 160, height: 90 };
const seconds = 4;

type Gray = Float32Array;

/** The first and the last frame, small and gray. Only the camera depends on `words`. */
function endsOf(prompt: string, words: string): readonly [Gray, Gray] {
  const { camera } = parsePrompt(`${prompt}, ${words}`);
  const brief = { ...parsePrompt(prompt), camera };
  const random = randomFrom(3);
  const palette = paletteFor(brief, random);
  const noise = noiseFrom(random);
  const scene = createScene(resized({ seconds, brief, random, palette, noise }, size));
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  const reduced = createCanvas(small.width, small.height);
  const reducedContext = reduced.getContext('2d', { alpha: false });
  const grays = [0, seconds].map((second) => {
    scene.draw(context, second);
    reducedContext.drawImage(canvas, 0, 0, small.width, small.height);
    const rgba = reduced.data();
    return Float32Array.from({ length: small.width * small.height }, (_, at) => {
      return rgba[at * 4]! * 0.3 + rgba[at * 4 + 1]! * 0.6 + rgba[at * 4 + 2]! * 0.1;
    });
  });
  return grays as unknown as readonly [Gray, Gray];
}

type Placement = { readonly x: number; readonly y: number; readonly scale: number };

/** Mean difference of `seen` and `still` placed differently, without the sides of the frame. */
function difference(still: Gray, seen: Gray, { x, y, scale }: Placement): number {
  const { width, height } = small;
  let [sum, count] = [0, 0];
  for (let row = Math.round(height * 0.2); row < height * 0.8; row += 1) {
    for (let column = Math.round(width * 0.2); column < width * 0.8; column += 1) {
      const fromX = Math.round((column - width / 2 - x) / scale + width / 2);
      const fromY = Math.round((row - height * 0.54 - y) / scale + height * 0.54);
      sum += Math.abs(seen[row * width + column]! - still[fromY * width + fromX]!);
      count += 1;
    }
  }
  return sum / count;
}

function bestOf(still: Gray, seen: Gray, placements: readonly Placement[]): Placement {
  const costs = placements.map((placement) => difference(still, seen, placement));
  return placements[costs.indexOf(Math.min(...costs))]!;
}

const steps = (most: number): number[] =>
  Array.from({ length: most * 2 + 1 }, (_, at) => at - most);
const shifts = steps(16).flatMap((x) => steps(16).map((y) => ({ x, y, scale: 1 })));
const scales = steps(16).map((step) => ({ x: 0, y: 0, scale: 1 + step * 0.0125 }));

for (const [scene, prompt] of Object.entries(scenes)) {
  test(`every camera move is visible in ${scene}`, () => {
    const wrong: string[] = [];
    // The same second of a still camera: only the camera makes a difference.
    const [stillFirst, stillLast] = endsOf(prompt, 'static shot');
    for (const [words, expected] of Object.entries(moves)) {
      const [first, last] = endsOf(prompt, words);
      const about = `${prompt}, ${words}`;
      if ('grows' in expected) {
        const from = bestOf(stillFirst, first, scales).scale;
        const change = bestOf(stillLast, last, scales).scale - from;
        if (change * expected.grows < 0.03) wrong.push(`${about}: ${change.toFixed(3)}`);
        continue;
      }
      const from = bestOf(stillFirst, first, shifts);
      const to = bestOf(stillLast, last, shifts);
      const [x, y] = [to.x - from.x, to.y - from.y];
      const along = 'x' in expected ? x * expected.x : y * expected.y;
      if (along < 4) wrong.push(`${about}: ${x}, ${y} of 160 by 90 pixels`);
    }
    assert.deepEqual(wrong, []);
  });
}
