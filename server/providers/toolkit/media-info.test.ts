import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import type { MaterialKind } from '@vidgen/renderer/render-job.ts';
import fc from 'fast-check';
import { readMediaInfo } from './media-info.ts';

const canvas = createCanvas(34, 21);
const readImage = (head: Buffer) => readMediaInfo(head, 'image');

test('reads format and size of files from real encoders', async () => {
  const images = {
    png: [await canvas.encode('png'), 'png'],
    jpeg: [await canvas.encode('jpeg'), 'jpg'],
    webp: [await canvas.encode('webp'), 'webp'],
  } as const;
  for (const [kind, [bytes, extension]] of Object.entries(images)) {
    const shape = { width: 34, height: 21 };
    assert.deepEqual(readImage(bytes), { contentType: `image/${kind}`, extension, shape });
  }
});

test('accepts an image whose size it cannot find', async () => {
  assert.deepEqual(readImage((await canvas.encode('png')).subarray(0, 20))?.shape, null);
  assert.deepEqual(readImage(Buffer.from('\xff\xd8\xff\xe0', 'latin1'))?.shape, null);
  assert.deepEqual(readImage(Buffer.from('GIF89a'.padEnd(40, '\0')))?.shape, null, 'no pixels');
});

test('accepts no other file as an image, and never throws', () => {
  for (const text of ['', '<html>', '%PDF-1.7', 'BM', 'RIFF0000AVI LIST', '{"error":"no"}']) {
    assert.equal(readImage(Buffer.from(text)), null, text);
  }
  const starts = [
    '',
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff',
    'GIF89a',
    'RIFF\x00\x00\x00\x00WEBP',
    'BM',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      readImage(Buffer.concat([Buffer.from(start, 'latin1'), rest]));
    }),
  );
});

test('recognizes every format of the contract by its first bytes', () => {
  const table: readonly (readonly [MaterialKind, string, string | null])[] = [
    ['image', '\x89PNG\r\n\x1a\n', 'png'],
    ['video', '\0\0\0\x18ftypmp42', 'mp4'],
    ['video', '\0\0\0\x14ftypqt  ', 'mov'],
    ['video', '\0\0\x01\0moov', 'mov'],
    ['video', '\x1a\x45\xdf\xa3....B\x82\x84webm', 'webm'],
    ['video', '\x1a\x45\xdf\xa3....B\x82\x88matroska', 'mkv'],
    ['audio', 'RIFF....WAVEfmt ', 'wav'],
    ['audio', 'ID3\x04', 'mp3'],
    ['audio', '\xff\xfb\x90', 'mp3'],
    ['audio', '\xff\xf1\x50', 'aac'],
    ['audio', 'fLaC', 'flac'],
    ['audio', 'OggS', 'ogg'],
    ['audio', '\0\0\0\x18ftypM4A ', 'm4a'],
    ['image', '<html>', null],
    ['video', '\x89PNG\r\n\x1a\n', null],
    ['video', 'RIFF....WAVE', null],
    ['audio', '#!/bin/sh', null],
    ['audio', '', null],
  ];
  for (const [kind, head, extension] of table) {
    const read = readMediaInfo(Buffer.from(head, 'latin1'), kind);
    assert.equal(read?.extension ?? null, extension, `${kind} ${JSON.stringify(head)}`);
  }
});
