/**
 * A preview that is continued or edited shows nothing of its earlier overlays.
 * Thorough: renders and encodes clips.
 */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { createPicture, type Picture } from '../picture.ts';
import type { EncoderName, RenderJob } from '../render-job.ts';
import type { Rect } from '../size.ts';
import { openVideo } from '../source/video.ts';
import { framesOf, similarity } from '../testing/clip.ts';
import { openScratch, renderIn, type Scratch, sampleGeneration } from '../testing/rendered.ts';
import { readCleanBox } from './clean-box.ts';

const prompt = 'A lighthouse on misty cliffs at sunrise';
const generation = sampleGeneration({
  ...{ prompt, duration: 3, watermark: true, returnLastFrame: true },
});
let scratch: Scratch;
const shots = new Map<EncoderName, { readonly video: string; readonly lastFrame: string }>();
before(async () => {
  scratch = await openScratch();
  for (const encoder of ['native', 'wasm'] as const) {
    shots.set(encoder, await renderIn(scratch, { name: encoder, encoder, generation }));
  }
});
after(() => scratch[Symbol.asyncDispose]());

const job = (): RenderJob => ({
  ...{ generation, materials: [], seed: 7, out: { video: '', lastFrame: null } },
});

/** The pixels of one region. */
function partOf(rgba: Buffer, width: number, { x, y, ...box }: Rect): Buffer {
  const rows = Array.from({ length: box.height }, (_, row) => {
    const start = ((y + row) * width + x) * 4;
    return rgba.subarray(start, start + box.width * 4);
  });
  return Buffer.concat(rows);
}

async function barePixels(picture: Picture, frame: number): Promise<Buffer> {
  const canvas = createCanvas(picture.size.width, picture.size.height);
  await picture.drawBare(canvas.getContext('2d', { alpha: false }), frame);
  return Buffer.from(canvas.data());
}

for (const encoder of ['native', 'wasm'] as const) {
  test(`${encoder}: every frame of a preview is read back without its overlays`, async () => {
    const { video } = shots.get(encoder)!;
    const picture = await createPicture(job());
    const { size, overlays, frames } = picture;
    assert.equal(overlays.length, 3, 'label, watermark and caption');
    const player = await (await openVideo(video)).play({ size, atEnd: 'hold', threads: 2 });
    const shown = framesOf(video);
    for (let frame = 0; frame < frames; frame += 1) {
      const read = Buffer.from(await player.next());
      const { value } = await shown.next();
      if (frame % 12 !== 6) continue;
      const bare = await barePixels(picture, frame);
      for (const region of overlays.filter(({ untilSecond }) => frame / 24 < untilSecond - 0.6)) {
        const [clean, covered] = [read, value!].map((pixels) =>
          similarity(partOf(pixels, size.width, region), partOf(bare, size.width, region)),
        );
        assert.ok(clean! > 30, `frame ${frame}: ${clean!.toFixed(1)} dB`);
        assert.ok(covered! < 25, `frame ${frame} has an overlay, ${covered!.toFixed(1)} dB`);
      }
    }
    await player.close();
  });
}

test('the saved last frame, on which an extension starts, has no overlays', async () => {
  const { video, lastFrame } = shots.get('native')!;
  const picture = await createPicture(job());
  const bare = await barePixels(picture, picture.frames - 1);
  const saved = await loadImage(await readFile(lastFrame));
  const canvas = createCanvas(saved.width, saved.height);
  canvas.getContext('2d').drawImage(saved, 0, 0);
  const first = await (await openVideo(video)).lastFrame(picture.size);
  for (const pixels of [canvas.data(), first.data()]) {
    const decibels = similarity(pixels, bare);
    assert.ok(decibels > 33, `${decibels.toFixed(1)} dB`);
  }
});

test('an edit of an edit keeps the pixels below its own overlays', async () => {
  const materials = (file: string) => [{ kind: 'video', index: 0, file, title: 'clip' } as const];
  const edit = {
    ...({ model: 'vidgen-2-5', generationType: 'reference-to-video', duration: -1 } as const),
    ...({ aspectRatio: 'adaptive', prompt: 'Make it night' } as const),
  };
  const once = await renderIn(scratch, {
    ...{ name: 'once', generation: edit, materials: materials(shots.get('native')!.video) },
  });
  const [segment, rest] = await readCleanBox(once.video);
  assert.deepEqual([segment!.regions.length, rest!.regions.length], [2, 1]);
  const twice = await createPicture({
    ...job(),
    generation: sampleGeneration({ ...edit, prompt: 'Black and white' }),
    materials: materials(once.video),
  });
  const bare = await barePixels(twice, 0);
  const label = partOf(bare, twice.size.width, segment!.regions[0]!);
  const bright = label.filter((_, at) => at % 4 === 0).filter((red) => red > 230).length;
  assert.equal(bright, 0, 'no letters');
  await twice.close();
});

test('keeps the pixels below a title', async () => {
  const untitled = sampleGeneration({ prompt: 'A secret recipe', duration: 1 });
  const { video } = await renderIn(scratch, { name: 'title', generation: untitled });
  const picture = await createPicture({ ...job(), generation: untitled });
  const player = await (await openVideo(video)).play({
    ...{ size: picture.size, atEnd: 'hold', threads: 2 },
  });
  for (let frame = 0; frame < 10; frame += 1) {
    const [read, bare] = [await player.next(), await barePixels(picture, frame)];
    const decibels = similarity(read, bare);
    assert.ok(decibels > 30, `frame ${frame}: ${decibels.toFixed(1)} dB`);
  }
  await player.close();
});

test('shows a preview as it is when the kept pixels are damaged', async () => {
  const file = join(scratch.folder, 'damaged.mp4');
  const bytes = await readFile(shots.get('native')!.video);
  const at = bytes.indexOf('uuid', 0, 'latin1');
  bytes.fill(7, at + 200, bytes.length - 10);
  await writeFile(file, bytes);
  const size = { width: 864, height: 496 };
  const player = await (await openVideo(file)).play({ size, atEnd: 'hold', threads: 2 });
  const { value } = await framesOf(file).next();
  const pixels = await player.next();
  assert.ok(similarity(pixels, value!) > 30);
  await player.close();
});
