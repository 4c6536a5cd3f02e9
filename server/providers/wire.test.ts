/** Whatever an upstream responds, reading it never throws and trusts no type. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as comfyUi from './comfyui/wire.ts';
import * as modelArk from './modelark/wire.ts';
import * as openAi from './openai-videos/wire.ts';
import * as replicate from './replicate/wire.ts';
import { jsonPathPattern, valueAt } from './toolkit/response-values.ts';

test('never throws for any response', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      modelArk.readTask(value);
      modelArk.readPage({ total: 1, items: value });
      replicate.readPrediction({ output: value, error: value, logs: value });
      replicate.readPage({ results: value, next: value });
      openAi.readVideo(value);
      openAi.readVideos({ data: value });
      comfyUi.readQueue({ queue_running: value, queue_pending: [value] }, 'a');
      comfyUi.readHistory({ a: { outputs: {}, status: { messages: [value] } } }, 'a');
      comfyUi.findVideo({ '9': { images: [value] } }, undefined);
      comfyUi.uploadedName(value);
      valueAt(value, 'a.b[0].c');
    }),
  );
});

test('reads no value of another type, and no list in part', () => {
  const prediction = replicate.readPrediction({ id: '..', status: 7, created_at: 3, logs: {} });
  assert.partialDeepStrictEqual(prediction, { id: undefined, status: undefined, hasRun: false });
  const video = openAi.readVideo({ id: '..', status: 7, progress: 'half', seconds: {} });
  const nothing = { id: undefined, status: undefined, progress: undefined };
  assert.partialDeepStrictEqual(video, { ...nothing, outputSeconds: undefined });
  assert.equal(openAi.readVideos({ data: [{ id: 'video_1' }, 3] }), undefined);
});

test('reads paths of names and indexes', () => {
  const json = { a: { b: [{ c: 1 }, [2, 3]] }, 'x-y': 4 };
  assert.deepEqual(
    ['a.b[0].c', 'a.b[1][1]', 'x-y', 'a.c', 'a.b[2]', 'constructor'].map((path) =>
      valueAt(json, path),
    ),
    [1, 3, 4, undefined, undefined, undefined],
  );
  for (const path of ['', '.a', 'a.', 'a..b', 'a[', 'a[x]', '[0]', 'a b', '$.a', 'a[*]']) {
    assert.doesNotMatch(path, jsonPathPattern);
  }
});
