/** The shape of a video, read from real and from malformed files. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { box } from '../../../proof/kit/hostile-file.ts';
import { makeMedia } from '../../../proof/kit/media-files.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { readVideoShape } from './video-shape.ts';

const folder = makeTemporaryFolder('shape');

async function shapeOf(bytes: Buffer) {
  const file = join(folder, 'video');
  await writeFile(file, bytes);
  return await readVideoShape(file);
}

/** A track header with the first two numbers of its matrix. */
function track(width: number, height: number, [a, b] = [0x10000, 0], version = 0): Buffer {
  const header = Buffer.alloc(version === 1 ? 96 : 84);
  const matrixAt = version === 1 ? 52 : 40;
  header[0] = version;
  header.writeInt32BE(a!, matrixAt);
  header.writeInt32BE(b!, matrixAt + 4);
  header.writeUInt16BE(width, matrixAt + 36);
  header.writeUInt16BE(height, matrixAt + 40);
  return box('trak', box('tkhd', header));
}

test('reads the shape of real videos, whether their index comes first or last', async () => {
  const recipe = { video: 'libx264', audio: 'aac', seconds: 1 } as const;
  const square = { width: 64, height: 64 };
  for (const options of [{}, { movflags: '+faststart' }]) {
    assert.deepEqual(await shapeOf(await makeMedia({ ...recipe, format: 'mp4', options })), square);
  }
  assert.deepEqual(await shapeOf(await makeMedia({ ...recipe, format: 'mov' })), square);
});

test('turns a video that was recorded upright, and skips tracks without a picture', async () => {
  const file = (...tracks: readonly Buffer[]) =>
    Buffer.concat([
      box('ftyp', Buffer.from('isom')),
      box('mdat'),
      box('moov', Buffer.concat(tracks)),
    ]);
  const wide = { width: 1920, height: 1080 };
  assert.deepEqual(await shapeOf(file(track(0, 0), track(1920, 1080))), wide);
  assert.deepEqual(await shapeOf(file(track(1920, 1080, [0x10000, 0], 1))), wide);
  assert.deepEqual(await shapeOf(file(track(1920, 1080, [0, 0x10000]))), {
    width: 1080,
    height: 1920,
  });
  assert.equal(await shapeOf(file(track(0, 0))), null);
});

test('returns null for other files, and never throws', async () => {
  const webm = await makeMedia({ format: 'webm', video: 'libvpx', seconds: 1 });
  assert.equal(await shapeOf(webm), null);
  const whole = Buffer.concat([box('ftyp'), box('moov', track(64, 32))]);
  for (let length = 0; length < whole.length; length += 7) {
    await shapeOf(whole.subarray(0, length));
  }
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await shapeOf(Buffer.from(bytes));
      await shapeOf(box('moov', Buffer.from(bytes)));
      await shapeOf(box('moov', box('trak', box('tkhd', Buffer.from(bytes)))));
    }),
    { numRuns: 50 },
  );
});
