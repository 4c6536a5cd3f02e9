import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deleteFolder, makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { appendCleanBox } from '../../../renderer/clean/clean-box.ts';
import { cleanEndOf } from './clean-regions.ts';

const folder = makeTemporaryFolder('clean-regions');
after(() => deleteFolder(folder));

const label = { x: 40, y: 24, width: 120, height: 30 };
const caption = { x: 40, y: 600, width: 400, height: 60 };

/** A file with a box as the renderer writes it, after a box of 16 bytes. */
async function fileWith(segments: Parameters<typeof appendCleanBox>[1]): Promise<ArrayBuffer> {
  const file = join(folder, 'clip.mp4');
  await writeFile(file, Buffer.from('00000010667479700000000000000000', 'hex'));
  await appendCleanBox(file, segments);
  return new Uint8Array(await readFile(file)).buffer;
}

const size = { width: 1280, height: 720 };
const segments = [
  {
    ...{ size, frames: 60, reduction: 1 as const, clip: Buffer.from('first') },
    regions: [
      { ...label, untilFrame: 60 },
      { ...caption, untilFrame: 60 },
    ],
  },
  {
    ...{ size, frames: 40, reduction: 2 as const, clip: Buffer.from('second') },
    regions: [
      { ...caption, untilFrame: 10 },
      { ...label, untilFrame: 40 },
    ],
  },
];

test('finds what covers the last frame of a preview', async () => {
  const end = cleanEndOf(await fileWith(segments));
  assert(end);
  assert.deepEqual(end.regions, [{ ...label, top: caption.height }]);
  assert.equal(end.reduction, 2);
  assert.equal(await end.clip.text(), 'second');
});

test('finds nothing in other and in damaged files', async () => {
  assert.equal(cleanEndOf(new Uint8Array(await fileWith(segments)).slice(0, 16).buffer), null);
  assert.equal(cleanEndOf(new ArrayBuffer(0)), null);
  const whole = new Uint8Array(await fileWith(segments));
  for (let length = 17; length < whole.length; length += 7) {
    assert.equal(cleanEndOf(whole.slice(0, length).buffer), null, `${length} bytes`);
  }
});
