/** The fake accepts and rejects what Seedance on fal does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointOf, validate } from './rules.ts';

const prompt = 'a red door';
const url = 'https://cdn.example.test/a.png';
const many = (count: number) => Array(count).fill(url);
const [old, recent] = ['/bytedance/seedance-2.0', '/bytedance/seedance-2.5'];

const cases: readonly (readonly [string, path: string, input: object, taken: boolean])[] = [
  ['text', `${old}/text-to-video`, { prompt, duration: 'auto' }, true],
  ['a number as duration', `${old}/text-to-video`, { prompt, duration: 5 }, false],
  ['16 seconds of 2.0', `${old}/text-to-video`, { prompt, duration: '16' }, false],
  ['30 seconds of 2.5', `${recent}/text-to-video`, { prompt, duration: '30' }, true],
  ['the ratio name of vidgen', `${old}/text-to-video`, { prompt, aspect_ratio: 'adaptive' }, false],
  ['an image for text-to-video', `${old}/text-to-video`, { prompt, image_url: url }, false],
  ['no first frame', `${old}/image-to-video`, { prompt, end_image_url: url }, false],
  [
    'two frames',
    `${old}/fast/image-to-video`,
    { prompt, image_url: url, end_image_url: url },
    true,
  ],
  ['10 images of 2.0', `${old}/reference-to-video`, { prompt, image_urls: many(10) }, false],
  ['30 images of 2.5', `${recent}/us/reference-to-video`, { prompt, image_urls: many(30) }, true],
  [
    '13 files of 2.0',
    `${old}/reference-to-video`,
    { prompt, image_urls: many(9), video_urls: many(3), audio_urls: many(1) },
    false,
  ],
  ['a task of 2.0', `${old}/reference-to-video`, { prompt, task: 'editing' }, false],
  ['a task of 2.5', `${recent}/reference-to-video`, { prompt, task: 'extension' }, true],
  ['an unknown task', `${recent}/reference-to-video`, { prompt, task: 'edit' }, false],
];

for (const [what, path, input, isAccepted] of cases) {
  test(`${isAccepted ? 'accepts' : 'rejects'} ${what}`, () => {
    const rejection = validate(input as Record<string, unknown>, endpointOf(path)!);
    assert.equal(rejection?.status, isAccepted ? undefined : 422, String(rejection?.body));
  });
}

test('knows no other apps', () => {
  assert.equal(endpointOf('/bytedance/seedance-9/text-to-video'), undefined);
  assert.equal(endpointOf('/bytedance/seedance-2.0/video-to-text'), undefined);
});
