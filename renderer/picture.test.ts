/**
 * Thorough: renders frames.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { createPicture } from './picture.ts';
import { framesPerSecond } from './render-job.ts';
import { sampleGeneration } from './testing/rendered.ts';

const oddPrompts = {
  'one character': '.',
  'ten thousand characters': 'a word, and another. '.repeat(500).slice(0, 10_000),
} as const;

async function drawOnce(prompt: string, second: number, seed = 3): Promise<Buffer> {
  const generation = sampleGeneration({ prompt });
  const out = { video: '', lastFrame: null };
  const picture = await createPicture({ generation, materials: [], seed, out });
  const canvas = createCanvas(picture.size.width, picture.size.height);
  await picture.draw(canvas.getContext('2d', { alpha: false }), second * framesPerSecond);
  return Buffer.from(canvas.data());
}

for (const [name, prompt] of Object.entries(oddPrompts)) {
  test(`draws a prompt of ${name}`, async () => {
    const frame = await drawOnce(prompt, 2);
    const colors = new Set<number>();
    for (let at = 0; at < frame.length; at += 4 * 997) colors.add(frame.readUInt32LE(at));
    assert.ok(colors.size > 50, 'the frame is not empty');
    for (let at = 3; at < frame.length; at += 4 * 997) assert.equal(frame[at], 255, 'no holes');
  });
}

test('sets a subject that no scene draws as a title, with the sounds of the place', async () => {
  const areaOf = async (prompt: string) => {
    const out = { video: '', lastFrame: null };
    const generation = sampleGeneration({ prompt });
    const { brief, overlays } = await createPicture({ generation, materials: [], seed: 3, out });
    const words = overlays.at(-1)!;
    return { ambience: brief.ambience, area: words.width * words.height };
  };
  const robot = await areaOf('A robot walks through a neon city');
  const city = await areaOf('The lights of a neon city by night');
  assert.ok(robot.area > 2 * city.area, `${robot.area} and ${city.area} pixels`);
  assert.deepEqual(robot.ambience, city.ambience);
});
