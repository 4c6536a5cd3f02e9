/** What an error proves and which failure it becomes, with the shapes that servers really send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { errorReader, failureFor, parseStartResult } from './errors.ts';

const responseOf = (
  status: number,
  json: unknown,
  headers: Record<string, string> = {},
): UpstreamResponse => ({ kind: 'response', status, json, headers });
const openAi = (code: string | null, message: string, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});
const field = (name: string, msg: string) => ({
  detail: [{ type: 'string_pattern_mismatch', loc: ['body', name], msg, input: 'x' }],
});

/** vLLM's own handlers: the phrase of the status as type, and the status as code. */
const vllm = (code: number, message: string) => ({
  error: { message, type: 'Bad Request', param: null, code },
});
const vllmField = "1 validation error: {'type': 'missing', 'loc': ('body', 'prompt')}";

const refused = (reason: 'failed' | 'rejected') => ({
  outcome: 'rejected',
  reason,
  canFailOver: reason === 'failed',
});
const unknown = { outcome: 'unknown' };
const noModel = { detail: 'Video generation handler not initialized.' };
const noStage = { detail: 'Video generation setup failed: no such stage' };
const quota = openAi('insufficient_quota', 'You exceeded your current quota');
const noChecker = { detail: 'The safety checker could not be loaded' };
const startTable: readonly (readonly [why: string, status: number, body: unknown, object])[] = [
  ['a server error', 500, openAi('server_error', 'oops'), unknown],
  ['an overloaded server', 503, openAi(null, 'overloaded'), unknown],
  ['an engine without a video model', 503, noModel, refused('failed')],
  ['an engine that could not be set up', 500, noStage, refused('failed')],
  ['the wrong key', 401, { error: 'Unauthorized' }, refused('failed')],
  ['too fast', 429, openAi('rate_limit_exceeded', 'slow'), { outcome: 'throttled' }],
  ['too fast, says a proxy', 429, undefined, { outcome: 'throttled' }],
  ['an account without money', 429, quota, refused('failed')],
  ['moderation', 400, openAi('moderation_blocked', 'no'), refused('rejected')],
  ['a guardrail', 400, { detail: 'Guardrail blocked the prompt: violence' }, refused('rejected')],
  ['a guardrail of vLLM-Omni', 400, vllm(400, 'Guardrail blocked the prompt'), refused('rejected')],
  ['a field that vLLM-Omni does not accept', 400, vllm(400, vllmField), refused('failed')],
  ['a checker that is missing', 400, noChecker, refused('failed')],
  ['a bad size', 422, field('size', 'no'), refused('failed')],
  ['a wrong model', 400, { detail: "Model mismatch: 'x'" }, refused('failed')],
  ['a missing path', 404, { detail: 'Not Found' }, refused('failed')],
];

for (const [why, status, body, expected] of startTable) {
  test(`a start with ${why} is ${Object.values(expected).slice(0, 2).join(', ')}`, () => {
    const result = parseStartResult(responseOf(status, body), { materials: false });
    assert.partialDeepStrictEqual(result, expected, JSON.stringify(result));
  });
}

test('reports an unusable image only when one was sent', () => {
  const complaints = [
    { detail: 'Invalid uploaded image reference' },
    { detail: 'Failed to process image source: cannot identify image file' },
    field('input_reference', 'Value error'),
    vllm(400, 'Invalid input_reference: provided content is not a valid image or video.'),
    vllm(400, 'Invalid audio_reference.audio_url: audio data is not valid base64.'),
    openAi(null, 'Unsupported type.', 'input_reference'),
  ];
  for (const body of complaints) {
    const reasonWith = (hasImage: boolean) => {
      const result = parseStartResult(responseOf(400, body), { materials: hasImage });
      return result.outcome === 'rejected' ? result.reason : result.outcome;
    };
    assert.equal(reasonWith(true), 'material', JSON.stringify(body));
    assert.equal(reasonWith(false), 'failed', 'a model that wants one is no fault of the task');
  }
});

test('reads errors of every shape and shows them on one short line', () => {
  const detail = (json: unknown) => errorReader.detail(responseOf(400, json));
  assert.equal(detail(openAi('invalid_value', 'No.', 'size')), 'invalid_value: size: No.');
  assert.equal(detail({ detail: 'Video\n  not found' }), 'Video not found');
  assert.equal(detail(field('size', 'no')), 'string_pattern_mismatch: size: no');
  assert.equal(detail({ code: 'fail_to_fetch', message: 'channel' }), 'fail_to_fetch: channel');
  assert.equal(detail({ error: 'Unauthorized' }), 'Unauthorized');
  const malformedBodies = [undefined, null, 3, [], {}, { detail: 3 }, { detail: [] }, { error: 7 }];
  for (const malformed of malformedBodies) {
    assert.equal(detail(malformed), 'HTTP 400', JSON.stringify(malformed));
  }
  assert.ok(detail({ detail: 'x'.repeat(10_000) }).length <= 500);
});

test('maps the error of a failed video to a reason', () => {
  const reason = (code: string, message: string, hasImage = false) =>
    failureFor({ code, message, field: '' }, { materials: hasImage }).reason;
  assert.equal(reason('moderation_blocked', 'no'), 'rejected');
  assert.equal(reason('', 'The safety checker flagged the output'), 'rejected');
  assert.equal(reason('', 'CUDA out of memory'), 'failed');
  assert.equal(reason('504', 'took too long'), 'timed_out');
  assert.equal(reason('400', 'cannot decode the input image', true), 'material');
  assert.deepEqual(failureFor(undefined, { materials: false }), {
    reason: 'failed',
    detail: 'failed without an error',
  });
});

test('reports a video as missing only when the upstream itself says so', () => {
  const notFound = [
    { detail: 'Video not found' },
    vllm(404, 'Video not found'),
    openAi(null, "Video with id 'video_1' not found."),
  ];
  const otherErrors = [
    { detail: 'Not Found' },
    openAi(null, 'Invalid URL (GET /v1/video/1)'),
    { error: 'Route not found' },
    { code: '404', message: '404 page not found' },
    undefined,
    'Not Found',
    {},
  ];
  for (const body of notFound)
    assert.ok(errorReader.isNotFound(responseOf(404, body)), JSON.stringify(body));
  for (const body of otherErrors) assert.ok(!errorReader.isNotFound(responseOf(404, body)));
  assert.ok(!errorReader.isNotFound(responseOf(500, notFound[0])));
});
