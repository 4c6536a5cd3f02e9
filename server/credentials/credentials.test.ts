/** What is signed, what is left as it was, and what is recognized. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { validate } from '../../proof/kit/c2pa-validators.ts';
import {
  authorityPem,
  chunkTable,
  credentialsWith,
  indexedFile,
  inspectBytes,
  signBytes,
  signer,
  statement,
} from '../../proof/kit/credentials-fixture.ts';
import { resultFramePath, resultVideoPath } from '../../proof/kit/result-server.ts';
import { deleteFolder, makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { unmarkedImage, unmarkedVideo } from '../../proof/kit/unmarked.ts';
import { NewFile } from '../egress/save-stream.ts';
import { TooManyBoxes } from './inspect.ts';
import { box, sha256 } from './manifest.ts';
import { manifestBox } from './mp4.ts';
import { writeMp4 } from './write-mp4.ts';

const folder = makeTemporaryFolder('credentials');
after(() => deleteFolder(folder));
const video = await readFile(resultVideoPath);
const image = await readFile(resultFramePath);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E' +
    'rkJggg==',
  'base64',
);
const sign = (bytes: Buffer) => signBytes(folder, bytes);
const signImage = (bytes: Buffer) =>
  Buffer.from(credentialsWith(signer).signImage(bytes, statement).bytes);

test('signs a video, and changes nothing else; signing again gives the same bytes', async () => {
  const { bytes, state } = await sign(video);
  assert.equal(state, 'signed');
  assert.deepEqual(unmarkedVideo(bytes), video);
  assert.deepEqual((await sign(video)).bytes, bytes);
  assert.deepEqual(await validate(bytes, authorityPem), { rust: true, typescript: true });
  const { state: verdict, claims } = await inspectBytes(bytes);
  assert.equal(verdict, 'valid');
  assert.deepEqual(claims, {
    generator: 'vidgen',
    title: 'Video of vidgen-2-5',
    sourceType: 'trainedAlgorithmicMedia',
    installation: 'videos.example.com',
    model: 'vidgen-2-5',
    taskSha256: 'a001163ac79852377408378933baeae1cb7f00ebf5c560aaad5763888f084590',
    signedAt: new Date('2026-01-02T03:04:05Z'),
  });
});

test('a second result of a model has its own time, task, name and content', async () => {
  const at = new Date('2030-12-31T00:00:00Z');
  const model = '2026-01-02T03:04:05Z';
  const second = { ...statement, model, at, taskId: 'second', storageKey: 'second' };
  await signBytes(folder, video, { said: { ...statement, model } });
  const { bytes } = await signBytes(folder, indexedFile(10), { said: second });
  const { state, claims } = await inspectBytes(bytes);
  assert.deepEqual([state, claims?.signedAt, claims?.model], ['valid', at, model]);
  assert.equal(claims?.taskSha256, sha256(Buffer.from('second')).toString('hex'));
});

test('signs JPEG and PNG', async () => {
  const signed = signImage(image);
  assert.deepEqual(unmarkedImage(signed), image);
  for (const bytes of [signed, signImage(png)]) {
    assert.deepEqual(await validate(bytes, authorityPem), { rust: true, typescript: true });
    assert.equal((await inspectBytes(bytes, { chunkBytes: 7 })).state, 'valid');
  }
});

test('moves the chunk offsets of a file longer than its buffer, with 63 boxes', async () => {
  const file = Buffer.concat([indexedFile(3_000_000), ...Array(60).fill(box('free'))]);
  const { bytes } = await sign(file);
  assert.deepEqual(unmarkedVideo(bytes), file);
  assert.equal((await inspectBytes(bytes, { chunkBytes: 65_536 })).state, 'valid');
});

const offset = box('saio', Buffer.alloc(12));
const nested = Buffer.from('    trak'.repeat(20_000));
for (let at = 0; at < nested.length; at += 8) nested.writeUInt32BE(nested.length - at, at);
const odd = {
  'an index that is nested too deeply': indexedFile(10, nested),
  'an index that is compressed': indexedFile(10, box('cmov')),
  'a fragmented MP4': Buffer.concat([video, box('moof', Buffer.alloc(8))]),
  'an MP4 that is cut off': video.subarray(0, -1),
  'a long MP4 that is cut off': indexedFile(3_000_000).subarray(0, -1),
  'offsets of other kinds': indexedFile(10, chunkTable(40), offset),
  'chunks before the data': indexedFile(10, chunkTable(3)),
  'a chunk offset that would not fit': indexedFile(10, chunkTable(0xffff_fff0)),
  'a table that is longer than its box': indexedFile(
    10,
    box('stco', Buffer.from('00000000000000ff', 'hex')),
  ),
  'more boxes than any video has': Buffer.concat([indexedFile(10), ...Array(64).fill(box('free'))]),
  WebM: Buffer.from('1a45dfa3', 'hex'),
  nothing: Buffer.alloc(0),
};
for (const [name, bytes] of Object.entries(odd)) {
  test(`leaves ${name} as it is, and says why`, async () => {
    const signed = await sign(bytes);
    assert.deepEqual([signed.state, signed.bytes], ['unsigned', bytes]);
    assert.match(signed.detail!, /^(it|its index|the file) /);
  });
}

test('a disk that fills up is named as the reason, and not the provider', async () => {
  const file = await NewFile.open('/dev/full');
  await assert.rejects(
    writeMp4(file, [video], () => assert.fail()),
    { code: 'ENOSPC' },
  );
  await file.close();
});

test('keeps a file that has a manifest byte for byte', async () => {
  const { bytes } = await sign(video);
  assert.deepEqual(await sign(bytes), { state: 'kept', bytes });
  const long = Buffer.concat([indexedFile(3_000_000), manifestBox(Buffer.alloc(9))]);
  assert.deepEqual(await sign(long), { state: 'kept', bytes: long });
  const signed = signImage(image);
  assert.deepEqual(signImage(signed), signed);
});

test('stores a video without a signer, and none that breaks off', async () => {
  const { state, detail, bytes } = await signBytes(folder, video, { signedBy: null });
  assert.deepEqual([state, detail, bytes], ['unsigned', 'signing failed', video]);
  async function* broken() {
    yield video.subarray(0, 3000);
    throw new Error('reset');
  }
  const file = credentialsWith(signer).newVideo(join(folder, 'broken.mp4'), statement);
  await assert.rejects(file.save(broken()), /reset/);
});

test('recognizes another signer, too long a manifest, and one of ours elsewhere', async () => {
  const { bytes } = await sign(video);
  const other = await inspectBytes(bytes, { keys: [] });
  assert.deepEqual([other.state, other.claims?.generator], ['other_signer', 'vidgen']);
  const ftyp = video.subarray(0, video.readUInt32BE());
  const long = Buffer.concat([
    ftyp,
    manifestBox(Buffer.alloc(70_000)),
    video.subarray(ftyp.length),
  ]);
  assert.deepEqual((await inspectBytes(long)).state, 'other_signer');
  const manifest = bytes.subarray(ftyp.length, ftyp.length + bytes.readUInt32BE(ftyp.length));
  const moved = Buffer.concat([video, manifest]);
  assert.equal((await inspectBytes(moved)).state, 'altered');
  for (const added of [ftyp, box('mfra'), manifest]) {
    assert.equal((await inspectBytes(Buffer.concat([bytes, added]))).state, 'altered');
  }
  const signed = signImage(image);
  const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex');
  const behind = Buffer.concat([signed.subarray(0, 2), jfif, signed.subarray(2)]);
  assert.equal((await inspectBytes(behind)).state, 'altered');
});

const flips = process.env.VIDGEN_TEST_THOROUGH ? 10_000 : 150;

test('ours recognizes each changed byte, two validators each of the content', async () => {
  const { bytes } = await sign(video);
  const start = bytes.readUInt32BE();
  const end = start + bytes.readUInt32BE(start);
  for (let count = 0; count < flips; count++) {
    const at = randomInt(start, bytes.length);
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 << randomInt(8);
    const what = `byte ${at} is ${changed[at]}, not ${bytes[at]}`;
    assert.notEqual((await inspectBytes(changed).catch(() => null))?.state, 'valid', what);
    // Nothing covers some bytes of the box around a manifest, and both ignore them.
    if (at < end) continue;
    const rejected = { rust: false, typescript: false };
    assert.deepEqual(await validate(changed, authorityPem), rejected, what);
  }
});

test('any other bytes end with a verdict or a limit', async () => {
  const header = (type: string) =>
    Buffer.concat([video.subarray(0, 32), box(type, Buffer.alloc(9))]);
  const starts = [
    Buffer.alloc(0),
    image.subarray(0, 20),
    png.subarray(0, 33),
    header('uuid'),
    header('mdat'),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...starts),
      fc.uint8Array({ maxLength: 3000 }),
      async (start, rest) => {
        const found = await inspectBytes(Buffer.concat([start, rest])).catch((error) => error);
        assert(found instanceof TooManyBoxes || ['unsigned', 'other_signer'].includes(found.state));
      },
    ),
  );
  const boxes = Buffer.concat([video.subarray(0, 32), ...Array(100).fill(box('free'))]);
  await assert.rejects(inspectBytes(boxes), TooManyBoxes);
});
