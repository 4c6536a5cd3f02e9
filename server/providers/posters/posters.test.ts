/** Posters of collected videos: made, bounded, and harmless when a video is hostile. */
import assert from 'node:assert/strict';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resultVideoPath } from '../../../proof/kit/result-server.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { createLog } from '../../telemetry/log.ts';
import { createPosters } from './posters.ts';

const folder = makeTemporaryFolder('test-posters');
const tempFolder = join(folder, 'downloads');
const posters = createPosters({ tempFolder, log: createLog('silent'), msMax: 60_000 });
after(() => posters.close());
const { signal } = new AbortController();
const video = fileURLToPath(resultVideoPath);
const bytes = await readFile(video);

async function posterOf(content: Uint8Array): Promise<Uint8Array | null> {
  const file = join(folder, 'hostile.mp4');
  await writeFile(file, content);
  return (await posters.make(file, signal))?.bytes ?? null;
}

test('makes a small JPEG and leaves the video and no other file', async () => {
  const made = await Promise.all([posters.make(video, signal), posters.make(video, signal)]);
  for (const poster of made) {
    assert(poster && poster.bytes.length < 60_000);
    assert.deepEqual([...poster.bytes.subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.equal(poster.seconds, 1);
  }
  assert.deepEqual(made[0], made[1]);
  await access(video);
  const [own = '', ...others] = await readdir(tempFolder);
  assert.deepEqual([others, await readdir(join(tempFolder, own))], [[], []]);
});

test('returns null for hostile bytes, and makes the next poster', async () => {
  const damaged = Buffer.from(bytes);
  damaged.fill(0xff, 60, bytes.length - 60);
  // The sample table of the header claims more frames than there are bytes.
  const lying = Buffer.from(bytes);
  const sizes = lying.indexOf('stsz');
  assert(sizes > 0);
  lying.writeUInt32BE(0xffff_ffff, sizes + 12);
  for (const content of [
    Buffer.alloc(0),
    Buffer.from('<html>not a video</html>'),
    Buffer.from('#EXTM3U\nfile:///etc/passwd\n'),
    bytes.subarray(0, 200),
    damaged,
    lying,
  ]) {
    const poster = await posterOf(content);
    assert(poster === null || poster.length < 60_000);
  }
  assert.equal(await posterOf(Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n')), null);
  assert.equal(await posterOf(damaged), null);
  assert(await posters.make(video, signal));
});

test('returns null if the caller gives up, and replaces the process', async () => {
  const controller = new AbortController();
  const pending = posters.make(video, controller.signal);
  controller.abort();
  assert.equal(await pending, null);
  assert(await posters.make(video, signal));
});

test('returns null at once when too many videos wait', async () => {
  const many = await Promise.all(Array.from({ length: 40 }, () => posters.make(video, signal)));
  const made = many.filter((poster) => poster !== null).length;
  assert(made >= 16 && made < 40, String(made));
});

test('returns null after it was closed, and leaves no folder', async () => {
  await posters.close();
  assert.equal(await posters.make(video, signal), null);
  assert.deepEqual(await readdir(tempFolder), []);
});
