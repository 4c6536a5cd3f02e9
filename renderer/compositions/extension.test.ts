import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openVideo } from '../source/video.ts';
import { framesOf, readClip, similarity } from '../testing/clip.ts';
import { openScratch, renderIn } from '../testing/rendered.ts';
import { steady, videoMaterial, writeVideo } from '../testing/video-files.ts';

test('starts on the unchanged last frame of its source, and continues', async () => {
  await using scratch = await openScratch();
  const size = { width: 854, height: 480 };
  const frames = steady({ seconds: 1.5, rate: [30, 1] });
  const source = await writeVideo(join(scratch.folder, 'source'), { size, frames });
  const { video, reports } = await renderIn(scratch, {
    name: 'extension',
    generation: {
      ...{ model: 'vidgen-2-5', generationType: 'reference-to-video', aspectRatio: 'adaptive' },
      ...{ duration: 2, prompt: 'The camera moves on until night falls over a wide sea' },
    },
    materials: [videoMaterial(0, source)],
  });
  assert.deepEqual(reports.at(-1), { done: true, seconds: 2 });
  const clip = await readClip(video);
  assert.deepEqual([clip.width, clip.height, clip.frames], [854, 480, 48]);
  const shown = await Array.fromAsync(framesOf(video));
  const last = (await (await openVideo(source)).lastFrame(size)).data();
  const fidelity = similarity(shown[0]!, last);
  assert.ok(fidelity >= 35, `first frame at ${fidelity.toFixed(1)} dB`);
  assert.ok(similarity(shown[24]!, last) < 30, 'it changes');
  assert.ok(similarity(shown[47]!, last) < 20, 'it ends elsewhere');
});
