import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { boxesOf } from '../encode/boxes.ts';
import { randomFrom } from '../random.ts';
import { appendCleanBox, type CleanSegment, readCleanBox } from './clean-box.ts';

const folder = await mkdtemp(join(tmpdir(), 'vidgen-clean-'));
after(() => rm(folder, { recursive: true }));

const segment: CleanSegment = {
  size: { width: 864, height: 496 },
  frames: 96,
  reduction: 2,
  regions: [
    { x: 42, y: 24, width: 80, height: 20, untilFrame: 96 },
    { x: 34, y: 420, width: 440, height: 44, untilFrame: 63 },
  ],
  clip: Buffer.from('a clip'),
};
const bare: CleanSegment = { ...segment, regions: [], clip: Buffer.alloc(0) };
const video = Buffer.from('0000000c6674797069736f6d', 'hex');

async function fileWith(...segments: CleanSegment[]): Promise<string> {
  const file = join(folder, 'clip.mp4');
  await writeFile(file, video);
  await appendCleanBox(file, segments);
  return file;
}

test('returns what was added, and leaves the file a complete MP4', async () => {
  const file = await fileWith(segment, bare, segment);
  assert.deepEqual(await readCleanBox(file), [segment, bare, segment]);
  assert.deepEqual(await boxesOf(file), { names: ['ftyp', 'uuid'], isComplete: true });
});

test('finds nothing in a file without the box, or with a box of another kind', async () => {
  const file = join(folder, 'plain.mp4');
  for (const more of ['', '00000020757569640000000000000000000000000000000000000000000000000000']) {
    await writeFile(file, Buffer.concat([video, Buffer.from(more, 'hex')]));
    assert.deepEqual(await readCleanBox(file), []);
  }
});

test('ignores regions outside of the frame, of odd sides, or of most of the frame', async () => {
  const [region] = segment.regions;
  const broken = [
    { ...region!, x: 860 },
    { ...region!, y: 480 },
    { ...region!, x: 43 },
    { ...region!, width: 0 },
    { ...region!, x: 0, y: 0, width: 864, height: 400 },
  ];
  for (const one of broken) {
    const file = await fileWith({ ...segment, regions: [one] });
    assert.deepEqual(await readCleanBox(file), [], JSON.stringify(one));
  }
  assert.deepEqual(await readCleanBox(await fileWith({ ...segment, clip: Buffer.alloc(0) })), []);
});

test('leaves out a box that is too large, and never reads one', async () => {
  const file = await fileWith({ ...segment, clip: Buffer.alloc(25_000_000) });
  assert.deepEqual(await readFile(file), video);
  const head = Buffer.from('02000000757569645d1e2f6a9b0c4e67a3c18f24d7706b52', 'hex');
  await writeFile(file, Buffer.concat([video, head]));
  assert.deepEqual(await readCleanBox(file), []);
});

test('reads damaged files without an error', async () => {
  const whole = await readFile(await fileWith(segment, segment));
  const random = randomFrom(4);
  const file = join(folder, 'damaged.mp4');
  for (let round = 0; round < 100; round += 1) {
    const bytes = Buffer.from(whole.subarray(0, Math.ceil(random() * whole.length)));
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    await writeFile(file, bytes);
    for (const { regions, size } of await readCleanBox(file)) {
      for (const { x, y, width, height } of regions) {
        assert.ok(x + width <= size.width && y + height <= size.height);
      }
    }
  }
});
