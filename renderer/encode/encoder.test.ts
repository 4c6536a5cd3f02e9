import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { boxesOf, checkWritten } from './encoder.ts';

const folder = makeTemporaryFolder('boxes');

function box(name: string, content: number): Buffer {
  const bytes = Buffer.alloc(8 + content);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.write(name, 4, 'latin1');
  return bytes;
}

/** With a 64-bit length, as for media of more than 4 GB. */
function longBox(name: string, content: number): Buffer {
  const bytes = Buffer.alloc(16 + content);
  bytes.writeUInt32BE(1, 0);
  bytes.write(name, 4, 'latin1');
  bytes.writeBigUInt64BE(BigInt(bytes.length), 8);
  return bytes;
}

async function fileOf(...parts: Buffer[]): Promise<string> {
  const file = join(folder, 'clip.mp4');
  await writeFile(file, Buffer.concat(parts));
  return file;
}

test('accepts a complete file with its index before the media', async () => {
  const file = await fileOf(box('ftyp', 20), box('moov', 300), longBox('mdat', 1000));
  assert.deepEqual(await boxesOf(file), { names: ['ftyp', 'moov', 'mdat'], isComplete: true });
  await checkWritten(file);
});

test('rejects a truncated file, and an index after the media', async () => {
  const [head, index, media] = [box('ftyp', 20), box('moov', 300), box('mdat', 1000)];
  const broken = [
    [head, index, media.subarray(0, 700)],
    [head, index],
    [head, media, index],
    [head, media],
    [head, Buffer.alloc(64, 0)],
    [head, index, media, Buffer.from([0, 0, 0, 2, 1, 1, 1, 1])],
    [],
  ];
  for (const parts of broken) await assert.rejects(checkWritten(await fileOf(...parts)), /written/);
});
