/**
 * docs/spec.md 2.2, 4.3 and 8 and Decision 0001 on input, row by row; materials have their own
 * file.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkUrl, table, urls } from '../../proof/kit/rule-table.ts';
import { createCatalog } from './catalog.ts';
import { checkGeneration } from './check.ts';

const text = 'text-to-video';
const reference = 'reference-to-video';

table('docs/spec.md 2.2: model and callback_url', [
  {
    rule: 'an unknown model is rejected with the known ones',
    model: 'vidgen-3',
    expectedError:
      'model must be one of vidgen-2-5, vidgen-2-0, vidgen-2-0-fast, vidgen-2-0-mini ' +
      '(got "vidgen-3"), ' +
      'did you mean vidgen-2-5?',
  },
  { rule: 'an https callback', callbackUrl: 'https://hooks.example/done' },
  {
    rule: 'a callback that egress rejects, with egress’s rule',
    callbackUrl: 'http://hooks.example/done',
    expectedError: 'callback_url must be an https URL (got "http://hooks.example/done")',
  },
  {
    rule: 'a password in a URL is not repeated',
    callbackUrl: 'http://me:secret@hooks.example/',
    expectedError: 'callback_url must be an https URL (got "http://…@hooks.example/")',
  },
  {
    rule: 'a URL cannot contain NUL',
    callbackUrl: 'https://hooks.example/\0',
    expectedError: 'callback_url must not contain the NUL character',
  },
]);

table('docs/spec.md 2.2 and Decision 0001: prompt', [
  {
    rule: 'empty',
    input: { prompt: '' },
    expectedError: 'input.prompt must not be empty (got "")',
  },
  {
    rule: 'only whitespace is empty',
    input: { prompt: ' \u00a0\t' },
    expectedError: 'input.prompt must not be empty (got " \\u00a0\\u0009")',
  },
  {
    rule: 'only invisible characters is empty',
    input: { prompt: '\u200b\u2060 \u3164' },
    expectedError: 'input.prompt must not be empty (got "\\u200b\\u2060 \u3164")',
  },
  { rule: '10,000 characters beyond the first plane', input: { prompt: '😀'.repeat(10_000) } },
  { rule: 'whitespace around does not count', input: { prompt: `  ${'x'.repeat(10_000)}\n` } },
  {
    rule: '10,001 characters',
    input: { prompt: 'x'.repeat(10_001) },
    expectedError: 'input.prompt must be at most 10000 characters (got 10001)',
  },
  {
    rule: 'NUL',
    input: { prompt: 'a\0b' },
    expectedError: 'input.prompt must not contain the NUL character',
  },
  {
    rule: 'a lone surrogate',
    input: { prompt: 'a\ud83d' },
    expectedError: 'input.prompt must be valid Unicode (contains an unpaired surrogate)',
  },
]);

table('docs/spec.md 4.3.1: text-to-video', [
  { rule: 'the prompt is enough', input: { generation_type: text } },
  ...['adaptive', '16:9', '9:16', '1:1', '4:3', '3:4', '21:9'].map((ratio) => ({
    rule: `model 2.5 takes ${ratio}`,
    input: { generation_type: text, aspect_ratio: ratio },
  })),
  {
    rule: 'another aspect ratio',
    input: { aspect_ratio: '2:1' },
    expectedError:
      'input.aspect_ratio must be one of 16:9, 4:3, 1:1, 3:4, 9:16, 21:9, adaptive (got "2:1")',
  },
  {
    rule: 'another generation type',
    input: { generation_type: 'video-to-video' },
    expectedError:
      'input.generation_type must be one of text-to-video, image-to-video, reference-to-video ' +
      '(got "video-to-video")',
  },
  {
    rule: 'materials of any kind are accepted',
    input: { image_urls: ['x'], video_urls: urls(99), audio_urls: ['data:,'] },
  },
]);

const editing = { generation_type: reference, video_urls: urls(1), duration: -1 };

table('docs/spec.md 4.3.6: video editing', [
  { rule: 'duration -1 with a video', input: editing },
  { rule: 'adaptive', input: { ...editing, aspect_ratio: 'adaptive' } },
  {
    rule: 'another aspect ratio',
    input: { ...editing, aspect_ratio: '16:9' },
    expectedError:
      'input.aspect_ratio must be adaptive for video editing, input.duration -1 (got "16:9")',
  },
  {
    rule: 'without a video',
    input: { generation_type: reference, image_urls: urls(1), duration: -1 },
    expectedError:
      'input.duration must be 4 to 30 for vidgen-2-5 without a video in input.video_urls ' +
      '(got -1, which is video editing)',
  },
  {
    rule: 'in another generation type, with or without a video',
    input: { generation_type: text, video_urls: urls(1), duration: -1 },
    expectedError:
      'input.duration must be 4 to 30 for vidgen-2-5 in text-to-video ' +
      '(got -1, which is video editing and only for reference-to-video)',
  },
  {
    rule: 'with model 2.0',
    model: 'vidgen-2-0',
    input: editing,
    expectedError: 'input.duration must be 4 to 15 for vidgen-2-0 (got -1)',
  },
]);

table('docs/spec.md 4.3.7: no extra rule for video extension', [
  {
    rule: 'a video, a length and an aspect ratio',
    input: { generation_type: reference, video_urls: urls(1), duration: 8, aspect_ratio: '16:9' },
  },
]);

table('docs/spec.md 8: duration', [
  { rule: 'model 2.5, 4 s', input: { duration: 4 } },
  { rule: 'model 2.5, 30 s', input: { duration: 30 } },
  ...[3, 31, 0, -2].map((duration) => ({
    rule: `model 2.5, ${duration} s`,
    input: { duration },
    expectedError: `input.duration must be 4 to 30 for vidgen-2-5 (got ${duration})`,
  })),
  {
    rule: 'model 2.5 with references mentions editing',
    input: { generation_type: reference, image_urls: urls(1), duration: 31 },
    expectedError: 'input.duration must be 4 to 30 for vidgen-2-5, or -1 to edit a video (got 31)',
  },
  { rule: 'model 2.0, 4 s', model: 'vidgen-2-0', input: { duration: 4 } },
  { rule: 'model 2.0, 15 s', model: 'vidgen-2-0-mini', input: { duration: 15 } },
  ...[3, 16].map((duration) => ({
    rule: `model 2.0, ${duration} s`,
    model: 'vidgen-2-0-fast',
    input: { duration },
    expectedError: `input.duration must be 4 to 15 for vidgen-2-0-fast (got ${duration})`,
  })),
]);

const allowed: [string, string[]][] = [
  ['vidgen-2-5', ['480p', '720p', '1080p']],
  ['vidgen-2-0', ['480p', '720p', '1080p', '4k']],
  ['vidgen-2-0-fast', ['480p', '720p']],
  ['vidgen-2-0-mini', ['480p', '720p']],
];

table(
  'Decision 0001: resolution by variant',
  allowed.flatMap(([model, resolutions]) =>
    ['480p', '720p', '1080p', '4k', '8k'].map((resolution) => ({
      rule: `${model} and ${resolution}`,
      model,
      input: { resolution },
      ...(resolutions.includes(resolution)
        ? {}
        : {
            expectedError:
              `input.resolution must be one of ${resolutions.join(', ')} for ${model} ` +
              `(got "${resolution}")`,
          }),
    })),
  ),
);

table('docs/spec.md 8: seed', [
  ...[-1, 0, 4_294_967_295].map((seed) => ({
    rule: `model 2.0 and ${seed}`,
    model: 'vidgen-2-0',
    input: { seed },
  })),
  ...[-2, 4_294_967_296].map((seed) => ({
    rule: `model 2.0 and ${seed}`,
    model: 'vidgen-2-0-mini',
    input: { seed },
    expectedError: `input.seed must be -1 or 0 to 4294967295 (got ${seed})`,
  })),
  ...[-1, 0, 7, -9].map((seed) => ({
    rule: `model 2.5 and ${seed}`,
    input: { seed },
    expectedError: 'input.seed is not supported by vidgen-2-5, omit it',
  })),
]);

describe('a model that is not served', () => {
  const served = createCatalog({ models: { 'vidgen-2-0': null } });
  const messageOf = (model: string) => {
    const checked = checkGeneration(
      { model, input: { prompt: 'x', duration: 99 } },
      { catalog: served, checkUrl, hasProvider: (name) => name !== 'vidgen-2-0-fast' },
    );
    return checked.ok ? 'accepted' : checked.message;
  };

  test('may also be one that no provider makes', () => {
    assert.match(messageOf('vidgen-2-0-fast'), /^model vidgen-2-0-fast is not served by/);
  });

  test('is reported together with everything else that is wrong', () => {
    assert.equal(
      messageOf('vidgen-2-0'),
      'model vidgen-2-0 is not served by this installation; ' +
        'input.duration must be 4 to 15 for vidgen-2-0 (got 99)',
    );
  });

  test('is not suggested for an unknown one', () => {
    assert.equal(
      messageOf('sora'),
      'model must be one of vidgen-2-5, vidgen-2-0-mini (got "sora"); ' +
        'input.duration must be at most 30 (got 99)',
    );
  });
});
