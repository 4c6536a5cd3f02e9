import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openScratch } from '../testing/rendered.ts';
import { steady, writeVideo } from '../testing/video-files.ts';
import { readLoudness } from './loudness.ts';

test('reads the loudness over time and the length', async () => {
  await using scratch = await openScratch();
  const frames = steady({ seconds: 2 });
  const file = await writeVideo(join(scratch.folder, 'clicks'), { frames, clickSeconds: 2 });
  const loudness = await readLoudness(file, 30);
  assert.ok(Math.abs(loudness!.seconds - 2) < 0.05);
  assert.ok(loudness!.at(0) > 0.8 && loudness!.at(1) > 0.8, 'two clicks');
  assert.ok(loudness!.at(0.5) < 0.2 && loudness!.at(1.6) < 0.2, 'and silence between them');
  assert.equal(loudness!.at(9), 0);
  assert.equal(loudness!.at(-1), 0);
  const cut = await readLoudness(file, 1);
  assert.ok(Math.abs(cut!.seconds - 1) < 0.05, 'no more than requested');
  const mute = await writeVideo(join(scratch.folder, 'mute'), { frames });
  assert.equal(await readLoudness(mute, 30), null);
});
