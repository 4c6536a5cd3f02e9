/** The fields that are sent, and how responses of any shape are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '@vidgen/contract/create-generation.ts';
import {
  sampleGeneration,
  sampleStart,
  startGeneration,
} from '../../../proof/kit/conformance-fixture.ts';
import { withFake } from '../../../proof/kit/openai-videos/fixture.ts';
import { openRouterBody } from './openrouter.ts';
import { createFields, readVideo, reservedFields } from './wire.ts';

const wanted = { model: 'wan', size: '1280x720', seconds: 5 };
const plain = { fields: {}, forwardSeed: true, guardsPrompt: false, sound: undefined };

test('sends prompt, model, length and size, and nothing that was not requested', () => {
  assert.deepEqual(createFields(sampleGeneration(), wanted, plain), {
    prompt: 'A paper boat drifts on a quiet lake',
    model: 'wan',
    seconds: 5,
    size: '1280x720',
  });
});

test('removes parameters from prompts behind a gateway only', () => {
  const sent = (guardsPrompt: boolean) =>
    createFields(sampleGeneration({ prompt: 'a fox --dur 30' }), wanted, {
      ...plain,
      guardsPrompt,
    });
  assert.deepEqual([sent(true).prompt, sent(false).prompt], ['a fox —dur 30', 'a fox --dur 30']);
});

test('requests audio only from models that can generate it', () => {
  const soundOf = (generateAudio: boolean, sound: boolean | undefined) =>
    createFields(sampleGeneration({ generateAudio }), wanted, { ...plain, sound }).generate_sound;
  assert.deepEqual([soundOf(true, true), soundOf(false, true)], [true, false]);
  assert.deepEqual([soundOf(true, false), soundOf(true, undefined)], [undefined, undefined]);
});

test('sends the configured fields, which cannot replace those of the task', () => {
  const fields = { fps: 16, prompt: 'another' };
  const sent = createFields(sampleGeneration({ prompt: 'mine' }), wanted, { ...plain, fields });
  assert.deepEqual([sent.fps, sent.prompt], [16, 'mine']);
});

test('lets no configured field make a server read or fetch its own files', () => {
  const dangerousFields = [
    ...['video_path', 'output_path', 'perf_dump_path', 'reference_url', 'video_url'],
    ...['image_reference', 'video_reference', 'audio_reference'],
  ];
  for (const name of dangerousFields) assert.ok(reservedFields.includes(name), name);
});

test('finds the URL of a file in both fields, and accepts http and https only', () => {
  const url = 'https://cdn.example.test/v.mp4';
  assert.equal(readVideo({ url })?.url, url);
  assert.equal(readVideo({ metadata: { url } })?.url, url);
  for (const malformed of ['file:///etc/passwd', '/srv/v.mp4', 7, null, {}]) {
    assert.equal(readVideo({ url: malformed, metadata: { url: malformed } })?.url, undefined);
  }
});

test('reports a missing file only when the server says so', () => {
  const cases: readonly (readonly [object, boolean])[] = [
    [{}, false],
    [{ url: null }, false],
    [{ file_name: null }, true],
    [{ file_name: 'v.mp4' }, false],
    [{ file_path: null, url: null }, true],
    [{ file_path: null, url: 'https://cdn.example.test/v.mp4' }, false],
    [{ file_path: '/srv/v.mp4', url: null }, false],
  ];
  for (const [video, expected] of cases) {
    assert.equal(readVideo(video)?.hasNoFile, expected, JSON.stringify(video));
  }
});

const urls = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://cdn.example.test/${index}`);
const options = { model: 'a/b', size: null, fields: {}, forwardSeed: true };
const bodyOf = (change: Partial<Generation>, request = {}) =>
  openRouterBody(sampleStart(change, request), options);

test('sends resolution, ratio and length under its own names, as JSON', () =>
  withFake('openrouter', async (fake, provider) => {
    await startGeneration({ provider }, { seed: 0, generateAudio: false, prompt: 'a --dur 30' });
    const { isForm, fields } = fake.started()[0]!.create;
    assert.ok(!isForm);
    assert.deepEqual(fields, {
      model: 'bytedance/seedance-2.0',
      prompt: 'a —dur 30',
      duration: 5,
      resolution: '720p',
      aspect_ratio: '16:9',
      generate_audio: false,
      seed: 0,
    });
  }));

test('leaves the ratio and audio to the model unless the task says otherwise', () => {
  const body = bodyOf({ aspectRatio: 'adaptive', resolution: '4k' });
  assert.ok(!('aspect_ratio' in body) && !('generate_audio' in body));
  assert.partialDeepStrictEqual(body, { resolution: '4K' });
});

test('sends the configured size instead of resolution and ratio', () =>
  withFake(
    {
      dialect: 'openrouter',
      adapter: { sizes: { 'vidgen-2-0': { '720p': { '16:9': '1280x704' } } } },
    },
    async (fake, provider) => {
      await startGeneration({ provider });
      const { size, resolution } = fake.started()[0]!.create.fields;
      assert.deepEqual([size, resolution], ['1280x704', undefined]);
    },
  ));

test('refuses videos and audio files with models that would ignore them', () =>
  withFake('openrouter', async (_, provider) => {
    const unsupported = (change: Partial<Generation>) =>
      provider.unsupportedReason!(
        sampleGeneration({ generationType: 'reference-to-video', ...change }),
      );
    const other = { model: 'vidgen-2-0-mini' } as const;
    assert.equal(unsupported({ videoUrls: urls(1), audioUrls: urls(1) }), null);
    assert.equal(unsupported({ ...other, imageUrls: urls(2) }), null);
    assert.equal(
      unsupported({ ...other, videoUrls: urls(1) }),
      'input.video_urls is not supported',
    );
    const withAudio = { ...other, imageUrls: urls(1), audioUrls: urls(1) };
    assert.equal(unsupported(withAudio), 'input.audio_urls is not supported');
    const edit = { duration: -1, videoUrls: urls(1) };
    assert.equal(unsupported(edit), 'input.duration -1 is not supported');
  }));
