/**
 * Every variant of a scene moves, covers frames of any shape, and can be drawn from any second.
 * Thorough: draws every scene.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { cameraPath } from '../camera.ts';
import { paletteFor } from '../palette.ts';
import { parsePrompt } from '../prompt-brief.ts';
import { noiseFrom, randomFrom, seedFrom } from '../random.ts';
import type { Size } from '../size.ts';
import { createScene } from './choose.ts';
import type { Scene } from './scene.ts';

/** Scenes scale with the frame, so a small frame shows the same as a large one. */
const scale = 4;
const sizeOf = (width: number, height: number): Size => ({
  width: width * scale,
  height: height * scale,
});
const wide = sizeOf(96, 54);
/** The most extreme aspect ratios; the square lies between them. */
const extremes = [sizeOf(54, 96), sizeOf(112, 48)];
const otherSizes: readonly Size[] = [...extremes, sizeOf(72, 72)];

const unpainted = '#ff00ff';

function sceneOf(prompt: string, size: Size, seed = 3, seconds = 4): Scene {
  const random = randomFrom(seedFrom(prompt, seed));
  const brief = parsePrompt(prompt);
  return createScene({
    size,
    seconds,
    brief,
    random,
    unit: Math.min(size.width, size.height) / 720,
    palette: paletteFor(brief, random),
    camera: cameraPath(brief.camera, { size, seconds }),
    noise: noiseFrom(random),
  });
}

function pixelsAt(scene: Scene, size: Size, seconds: readonly number[]): Buffer {
  const context = createCanvas(size.width, size.height).getContext('2d', { alpha: false });
  for (const second of seconds) {
    context.fillStyle = unpainted;
    context.fillRect(0, 0, size.width, size.height);
    scene(context, second);
  }
  return Buffer.from(context.canvas.data());
}

function unpaintedPixels(pixels: Buffer): number {
  let count = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at]! > 250 && pixels[at + 1]! < 5 && pixels[at + 2]! > 250) count += 1;
  }
  return count;
}

const prompts = [
  'Neon city skyline at night, pan left',
  'A ringed planet in outer space, orbit',
  'Planet Earth and stars, tilt down',
  'A misty forest at dawn, tilt up',
  'An autumn forest, fast pan left',
  'A campfire, orbit',
  'Abstract shapes, fast pan',
  'A lighthouse on misty cliffs at sunrise, dolly in',
  'A wooden boat in a storm at night, fast pan left',
  'The beach and the sea at noon, orbit',
  'A paper boat on a lake, orbit',
  'Mountains under the northern lights, pan left',
  'A mountain lake at dawn, zoom in',
  'Sand dunes, fast dolly in',
  'A snowy village at night, tilt down',
  'A winter forest in a blizzard, fast pan',
  'A meadow of poppies, fast pan left',
] as const;

for (const prompt of prompts) {
  describe(prompt, () => {
    const scene = sceneOf(prompt, wide);
    const at = (second: number): Buffer => pixelsAt(scene, wide, [second]);

    test('draws a second the same, whatever was drawn before', () => {
      const often = pixelsAt(sceneOf(prompt, wide), wide, [3.5, 0, 2]);
      assert.ok(often.equals(at(2)));
    });

    test('moves, and looks different with another seed', () => {
      const start = at(0);
      assert.ok(!start.equals(at(1)));
      assert.ok(!start.equals(pixelsAt(sceneOf(prompt, wide, 4), wide, [0])));
    });

    test('covers frames of any shape, from the first to the last second', () => {
      for (const size of [wide, ...otherSizes]) {
        const shaped = size === wide ? scene : sceneOf(prompt, size);
        for (const second of [0, 2, 4]) {
          const pixels = pixelsAt(shaped, size, [second]);
          assert.equal(unpaintedPixels(pixels), 0, `${size.width}x${size.height} at ${second} s`);
        }
      }
    });
  });
}

test('shows no edge of a layer in the longest clip with the fastest camera', () => {
  const places = ['The sea', 'Mountains', 'A mountain lake', 'Desert dunes', 'A winter landscape'];
  const moves = ['pan left', 'tilt up', 'tilt down', 'zoom in', 'dolly in', 'orbit'];
  const size = wide;
  for (const place of places) {
    for (const move of moves) {
      const scene = sceneOf(`${place}, fast ${move}`, size, 3, 30);
      for (const second of [0, 30]) {
        assert.equal(
          unpaintedPixels(pixelsAt(scene, size, [second])),
          0,
          `${place}, ${move}, ${second} s`,
        );
      }
    }
  }
});
