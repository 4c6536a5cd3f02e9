/** The fields that are sent, and how responses of any shape are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleGeneration } from '../../../proof/kit/conformance-fixture.ts';
import { createFields, readVideo, reservedFields } from './wire.ts';

const wanted = { model: 'wan', size: '1280x720', seconds: 5 };
const plain = { fields: {}, forwardSeed: true, guardsPrompt: false, sound: undefined };

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
