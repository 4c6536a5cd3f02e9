import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { hostileImages } from '../proof/kit/hostile-images.ts';
import { makeTemporaryFolder } from '../proof/kit/temporary-folder.ts';
import { backdropFor, covering, loadImageFile } from './image.ts';
import { paletteFor } from './palette.ts';
import { parsePrompt } from './prompt-brief.ts';
import { randomFrom } from './random.ts';
import { UnusableMaterial } from './unusable.ts';

const folder = makeTemporaryFolder('preview');

const canvas = createCanvas(40, 20);
const jpeg = canvas.toBuffer('image/jpeg');

/** The JPEG with EXIF data for a quarter turn. */
function rotatedByExif(bytes: Buffer): Buffer {
  const exif = Buffer.from(
    'Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0',
    'latin1',
  );
  const segment = Buffer.concat([exif, Buffer.alloc(4)]);
  const head = Buffer.from([0xff, 0xe1, 0, segment.length + 2]);
  return Buffer.concat([bytes.subarray(0, 2), head, segment, bytes.subarray(2)]);
}

test('rotates an image as its EXIF data require', async () => {
  const file = join(folder, 'turned.jpg');
  await writeFile(file, rotatedByExif(jpeg));
  const { width, height } = await loadImageFile(file);
  assert.deepEqual([width, height], [20, 40]);
});

test('rejects an image with too many pixels without decoding it', async () => {
  const png = canvas.toBuffer('image/png');
  png.writeUInt32BE(50_000, 16);
  png.writeUInt32BE(50_000, 20);
  const empty = canvas.toBuffer('image/png');
  empty.writeUInt32BE(0, 16);
  const damaged = canvas.toBuffer('image/png').fill(0, 36);
  for (const [name, bytes, reason] of [
    ['huge', png, /50000x50000 pixels/],
    ['empty', empty, /no pixels/],
    ['damaged', damaged, /damaged/],
  ] as const) {
    const file = join(folder, name);
    await writeFile(file, bytes);
    await assert.rejects(loadImageFile(file), (error) => {
      assert.ok(error instanceof UnusableMaterial);
      assert.match(error.message, reason);
      return true;
    });
  }
});

test('decodes a hostile image within its limits, or rejects it', async () => {
  const file = join(folder, 'hostile');
  for (const { name, bytes, outcome } of hostileImages()) {
    await writeFile(file, bytes);
    const loaded = loadImageFile(file);
    if (outcome === 'taken') await loaded;
    else await assert.rejects(loaded, UnusableMaterial, name);
  }
});

test('puts a contrasting background behind a transparent image, and none behind others', () => {
  const palette = paletteFor(parsePrompt('a sunny day'), randomFrom(1));
  const logo = (color: string): Canvas => {
    const context = createCanvas(40, 40).getContext('2d');
    context.fillStyle = color;
    context.fillRect(10, 10, 20, 20);
    return context.canvas;
  };
  const lightAt = (picture: Canvas): number => {
    const [red, green, blue] = covering(picture, picture, backdropFor(picture, palette)).data();
    return (red! + green! + blue!) / 3;
  };
  assert.ok(lightAt(logo('#102030')) > 160, 'light behind what is dark');
  assert.ok(lightAt(logo('#ffffff')) < 130, 'dark behind what is white');
  const whole = createCanvas(40, 40);
  whole.getContext('2d').fillRect(0, 0, 40, 40);
  assert.equal(backdropFor(whole, palette), null);
});
