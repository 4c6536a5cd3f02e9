/** What an error proves about a start, and which failure it becomes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FakeResponse } from '../../../proof/kit/fake-upstream.ts';
import { errorResponses, modelError, platformError } from '../../../proof/kit/fal/rules.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { failureFor, parseStartResult, readError } from './errors.ts';

function responseOf({ status, body, headers = {} }: FakeResponse): UpstreamResponse {
  const text = body.toString();
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { kind: 'response', status, json, headers };
}

const refused = (reason: 'failed' | 'rejected' | 'material') => ({
  outcome: 'rejected',
  reason,
  canFailOver: reason === 'failed',
});
const throttled = (retryAfterSeconds: number) => ({ outcome: 'throttled', retryAfterSeconds });
const starts: readonly (readonly [string, FakeResponse, object])[] = [
  ['a server error', errorResponses['server error'], { outcome: 'unknown' }],
  ["a gateway's page", errorResponses['bad gateway'], { outcome: 'unknown' }],
  ['the wrong key', errorResponses['wrong key'], refused('failed')],
  ['no balance', errorResponses['no balance'], refused('failed')],
  ['no such app', errorResponses['no such app'], refused('failed')],
  ['too fast', errorResponses.throttled, throttled(7)],
  ['too fast, says a proxy', { status: 429, body: '' }, throttled(20)],
  ['a refused input', errorResponses['input refused'], refused('failed')],
  ['refused content', errorResponses['content refused'], refused('rejected')],
  ['a refused file', errorResponses['file refused'], refused('material')],
];
for (const [why, raw, expected] of starts) {
  test(`a submit with ${why} is ${JSON.stringify(expected)}`, () => {
    const result = parseStartResult(responseOf(raw));
    assert.partialDeepStrictEqual(result, expected, JSON.stringify(result));
  });
}

const refusal = (msg: string, field?: string) =>
  modelError(422, 'content_policy_violation', msg, field);
const parts: readonly (readonly [FakeResponse, start: string, end: string | undefined])[] = [
  [refusal('no', 'prompt'), 'prompt', 'prompt'],
  [refusal('no', 'image_urls.0'), 'material', 'material'],
  [refusal('no', 'end_image_url'), 'material', 'material'],
  [refusal('no', 'negative'), 'input', 'input'],
  [refusal('no'), 'input', undefined],
  [refusal('The generated video was flagged.'), 'input', 'output'],
];
for (const [raw, start, end] of parts) {
  test(`${raw.body.slice(0, 90)}: rejected ${start} at a submit, ${end} at a result`, () => {
    assert.partialDeepStrictEqual(parseStartResult(responseOf(raw)), { rejectedPart: start });
    assert.equal(failureFor(responseOf(raw)).rejectedPart, end);
  });
}

const failures: readonly (readonly [FakeResponse, reason: string, detail: RegExp])[] = [
  [errorResponses['content refused'], 'rejected', /^content_policy_violation: prompt: /],
  [modelError(422, 'content_policy_violation', 'no'), 'rejected', /^content_policy_violation: /],
  [modelError(422, 'image_load_error', 'no', 'image_url'), 'material', /image_url/],
  [modelError(422, 'video_too_large', 'no', 'video_urls'), 'material', /video_too_large/],
  [modelError(422, 'unsupported_audio_format', 'no'), 'material', /audio/],
  [modelError(504, 'generation_timeout', 'late'), 'timed_out', /late/],
  [platformError(504, 'startup_timeout', 'late'), 'timed_out', /startup_timeout: late/],
  [platformError(503, 'runner_scheduling_failure', 'none free'), 'failed', /none free/],
  [modelError(500, 'internal_server_error', 'oops'), 'failed', /oops/],
  [errorResponses['plain refusal'], 'failed', /Something about the input/],
];
for (const [raw, reason, detail] of failures) {
  test(`a result of ${raw.status} ${raw.body.slice(0, 70)} is ${reason}`, () => {
    const failure = failureFor(responseOf(raw));
    assert.equal(failure.reason, reason, JSON.stringify(failure));
    assert.match(failure.detail, detail);
  });
}

test('reads only errors of fal', () => {
  for (const json of [undefined, null, 'x', [], {}, { detail: 7 }, { detail: [7] }]) {
    assert.equal(readError({ json, headers: {} }), undefined, JSON.stringify(json));
  }
});
