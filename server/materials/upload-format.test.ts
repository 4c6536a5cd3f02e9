/** The first bytes decide; the declared type matters only if they are ambiguous. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFormatOf } from './file-type.ts';

const padded = (text: string) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(64)]);
const mp4 = '\0\0\0\x18ftypisom';
const webm = '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm';

const rows: readonly (readonly [what: string, bytes: string, declared: string, is: object])[] = [
  ['a JPEG declared as PNG', '\xff\xd8\xff\xe0', 'image/png', { media: 'image', extension: 'jpg' }],
  ['an MP4', mp4, 'video/mp4', { media: 'video', extension: 'mp4' }],
  ['an MP4 declared as audio', mp4, 'audio/mp4', { media: 'audio', extension: 'm4a' }],
  ['an MP4 declared as PNG', mp4, 'image/png', { media: 'video', extension: 'mp4' }],
  ['a WebM declared as audio', webm, 'audio/webm', { media: 'audio', extension: 'webm' }],
  [
    'MP3 frames without a tag',
    '\xff\xfb\x90\x64',
    'audio/mpeg',
    { media: 'audio', extension: 'mp3' },
  ],
  ['an MP3 without a declared type', 'ID3\x03', '', { media: 'audio', extension: 'mp3' }],
  [
    'an SVG image declared as PNG',
    '<svg viewBox="0 0 1 1"/>',
    'image/png',
    { foreign: 'an SVG image' },
  ],
  ['HEIC', '\0\0\0\x18ftypheic', 'image/png', { media: 'image', extension: 'heic' }],
];

for (const [description, bytes, contentType, expected] of rows) {
  test(`${description}: ${JSON.stringify(expected)}`, () => {
    const found = uploadFormatOf(
      bytes.startsWith('<') ? Buffer.from(bytes) : padded(bytes),
      contentType,
    );
    assert.deepEqual(found, expected);
  });
}

test('rejects unknown types', () => {
  assert.deepEqual(uploadFormatOf(Buffer.alloc(2000, 7), 'video/mp4'), {
    foreign: 'of an unknown type',
  });
});
