/**
 * What each upstream's errors prove about a start, and which failure they become, with the shapes
 * that the upstreams really send.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FakeResponse, json } from '../../proof/kit/fake-upstream.ts';
import { errorResponses as fal, modelError, platformError } from '../../proof/kit/fal/rules.ts';
import {
  type DocumentedCode,
  documentedError,
  documentedErrors,
} from '../../proof/kit/modelark/errors.ts';
import * as comfyUi from './comfyui/wire.ts';
import * as falErrors from './fal/errors.ts';
import * as modelArkErrors from './modelark/errors.ts';
import * as modelArk from './modelark/wire.ts';
import * as openAiErrors from './openai-videos/errors.ts';
import * as openAi from './openai-videos/wire.ts';
import type { ProviderFailure, StartResult } from './provider.ts';
import * as replicateErrors from './replicate/errors.ts';
import * as replicate from './replicate/wire.ts';
import { asJson, jsonPathPattern, valueAt } from './toolkit/response-values.ts';
import type { UpstreamResponse } from './toolkit/upstream.ts';

const responseOf = ({ status, body, headers = {} }: FakeResponse): UpstreamResponse => ({
  kind: 'response',
  status,
  headers,
  json: asJson(Buffer.from(body)),
});

const failureSummary = ({ reason, rejectedPart }: ProviderFailure): string =>
  rejectedPart === undefined ? reason : `${reason} ${rejectedPart}`;

/** `unknown`, `throttled 20`, or the reason of a rejection with the rejected part. */
function startSummary(result: StartResult): string {
  if (result.outcome === 'throttled') return `throttled ${result.retryAfterSeconds}`;
  if (result.outcome !== 'rejected') return result.outcome;
  assert.equal(result.canFailOver, result.reason === 'failed', 'content and files fail elsewhere');
  return failureSummary(result);
}

type Row = readonly [response: FakeResponse, expected: string];

function assertStarts(rows: readonly Row[], parse: (response: UpstreamResponse) => StartResult) {
  for (const [response, expected] of rows) {
    const result = parse(responseOf(response));
    assert.equal(startSummary(result), expected, `${response.status} ${response.body}`);
  }
}

const someFiles = { materials: true };
const malformed = [null, 3, 'no', [], {}, { detail: 3 }, { detail: [] }, { error: 7 }];

test('ModelArk: every documented code, and messages that decide', () => {
  /** All others are about the account or the request: another provider may succeed. */
  const documented: Partial<Record<DocumentedCode, string>> = {
    InputTextSensitiveContentDetected: 'rejected prompt',
    InputImageSensitiveContentDetected: 'rejected material',
    'InputImageSensitiveContentDetected.PrivacyInformation': 'rejected material',
    InputVideoSensitiveContentDetected: 'rejected material',
    'InputVideoSensitiveContentDetected.PolicyViolation': 'rejected material',
    InputAudioSensitiveContentDetected: 'rejected material',
    SensitiveContentDetected: 'rejected input',
    OutputVideoSensitiveContentDetected: 'rejected output',
    'OutputVideoSensitiveContentDetected.PolicyViolation': 'rejected output',
    OutputAudioSensitiveContentDetected: 'rejected output',
    'InvalidParameter.TaskTypeConstraint': 'rejected settings',
    'InvalidParameter.TaskTypeMismatch': 'rejected settings',
    'InvalidImageURL.EmptyURL': 'material',
    'InvalidImageURL.InvalidFormat': 'material',
    // Not documented for a create call, so no proof.
    'InvalidAction.RunningTaskDeletion': 'unknown',
    'RateLimitExceeded.EndpointRPMExceeded': 'throttled 20',
    'RateLimitExceeded.EndpointTPMExceeded': 'throttled 20',
    ModelAccountRpmRateLimitExceeded: 'throttled 20',
    ModelAccountTpmRateLimitExceeded: 'throttled 20',
    ModelAccountIpmRateLimitExceeded: 'throttled 20',
    APIAccountRpmRateLimitExceeded: 'throttled 20',
    AccountRateLimitExceeded: 'throttled 20',
    RequestBurstTooFast: 'throttled 5',
    ServerOverloaded: 'throttled 20',
    InflightBatchsizeExceeded: 'throttled 20',
    QuotaExceeded: 'throttled 30',
    InternalServiceError: 'unknown',
  };
  const codes = Object.keys(documentedErrors) as DocumentedCode[];
  const messages: readonly (readonly [DocumentedCode, message: string, expected: string])[] = [
    ['QuotaExceeded', '排队任务数已达上限', 'throttled 30'],
    ['QuotaExceeded', 'Your free trial quota has been used up', 'failed'],
    ['QuotaExceeded', 'You have exceeded the 5-hour usage quota', 'failed'],
    ['InvalidParameter', 'video duration (seconds) must be less than 30.2', 'material'],
    ['InvalidParameter', 'reference_video must be provided as a web url', 'material'],
    ['InvalidParameter', 'content[2].image_url: failed to load', 'material'],
    ['InvalidParameter', 'unable to download the video', 'material'],
    ['InvalidParameter', 'audio format is not supported', 'material'],
    ['InvalidParameter', 'duration is not valid for seedance-2-0 in i2v', 'failed'],
    ['InvalidParameter', 'content[0].text is too long', 'failed'],
    ['InvalidParameter', 'at most one first frame image content but got 2', 'failed'],
  ];
  const bare = (status: number, headers = {}): FakeResponse => ({ status, body: '', headers });
  assertStarts(
    [
      ...codes.map((code): Row => [documentedError(code), documented[code] ?? 'failed']),
      ...messages.map(
        ([code, message, expected]): Row => [documentedError(code, { message }), expected],
      ),
      ...malformed.map((body): Row => [json(400, body), 'failed']),
      [bare(429), 'throttled 20'],
      [bare(500), 'unknown'],
      [bare(400, { 'x-error-code': 'SensitiveContentDetected' }), 'rejected input'],
    ],
    (response) => modelArkErrors.errors.startResult(response, someFiles),
  );
  for (const [code, message, expected] of messages.filter(([code]) => code !== 'QuotaExceeded')) {
    assert.equal(modelArkErrors.failureFor({ code, message }).reason, expected, message);
  }
  for (const shape of ['own', 'flat', 'control-plane'] as const) {
    const response = responseOf(documentedError('ModelNotOpen', { shape }));
    assert.match(modelArkErrors.errors.detail(response), /^ModelNotOpen/, shape);
  }
  const long = documentedError('AccessDenied', { message: `a\n\u202eb${'c'.repeat(999)}` });
  const detail = modelArkErrors.errors.detail(responseOf(long));
  assert.ok(detail.startsWith('AccessDenied: a bc') && detail.length === 500, 'one short line');
});

test('fal: submits, and results that are errors', () => {
  const policy = (msg: string, field?: string) =>
    modelError(422, 'content_policy_violation', msg, field);
  const parts: readonly (readonly [FakeResponse, start: string, end: string])[] = [
    [policy('no', 'prompt'), 'rejected prompt', 'rejected prompt'],
    [policy('no', 'image_urls.0'), 'rejected material', 'rejected material'],
    [policy('no', 'end_image_url'), 'rejected material', 'rejected material'],
    [policy('no', 'negative'), 'rejected input', 'rejected input'],
    [policy('no'), 'rejected input', 'rejected'],
    [policy('The generated video was flagged.'), 'rejected input', 'rejected output'],
  ];
  assertStarts(
    [
      [fal['server error'], 'unknown'],
      [fal['bad gateway'], 'unknown'],
      [fal['wrong key'], 'failed'],
      [fal['no balance'], 'failed'],
      [fal['no such app'], 'failed'],
      [fal.throttled, 'throttled 7'],
      [{ status: 429, body: '' }, 'throttled 20'],
      [fal['input refused'], 'failed'],
      [fal['file refused'], 'material'],
      ...parts.map(([response, start]): Row => [response, start]),
    ],
    (response) => falErrors.errors.startResult(response, someFiles),
  );
  const ends: readonly Row[] = [
    ...parts.map(([response, , end]): Row => [response, end]),
    [modelError(422, 'image_load_error', 'no', 'image_url'), 'material'],
    [modelError(422, 'video_too_large', 'no', 'video_urls'), 'material'],
    [modelError(422, 'unsupported_audio_format', 'no'), 'material'],
    [modelError(504, 'generation_timeout', 'late'), 'timed_out'],
    [platformError(504, 'startup_timeout', 'late'), 'timed_out'],
    [platformError(503, 'runner_scheduling_failure', 'none free'), 'failed'],
    [modelError(500, 'internal_server_error', 'oops'), 'failed'],
    [fal['plain refusal'], 'failed'],
  ];
  for (const [response, expected] of ends) {
    assert.equal(failureSummary(falErrors.failureFor(responseOf(response))), expected);
  }
  const { detail } = falErrors.failureFor(responseOf(fal['content refused']));
  assert.match(detail, /^content_policy_violation: prompt: /);
  for (const body of malformed.slice(0, -1)) {
    assert.equal(falErrors.readError({ json: body, headers: {} }), undefined);
  }
});

test('Replicate: messages without codes', () => {
  const detail = (text: string) => ({ detail: text });
  assertStarts(
    [
      [json(500, detail('Internal server error')), 'unknown'],
      [json(401, detail('Unauthenticated')), 'failed'],
      [json(402, { title: 'Insufficient credit' }), 'failed'],
      [json(404, detail('not found')), 'failed'],
      [{ status: 429, body: '' }, 'throttled 30'],
      [json(422, detail('- input.duration: Must be less than or equal to 15\n')), 'failed'],
      [json(422, detail('The input was flagged as sensitive (E005)')), 'rejected input'],
      [json(422, detail('Could not download image from the given URL')), 'material'],
    ],
    (response) => replicateErrors.errors.startResult(response, someFiles),
  );
  const failures: readonly (readonly [error: string | undefined, expected: string])[] = [
    ['Input flagged as sensitive (E005)', 'rejected input'],
    ['NSFW content detected. Try another prompt.', 'rejected'],
    ['Prediction interrupted; please retry (code: PA)', 'failed'],
    ['Failed to load the safety checker', 'failed'],
    ['Timeout starting prediction (E6716)', 'timed_out'],
    ['Failed to download the reference video', 'material'],
    [undefined, 'failed'],
  ];
  for (const [error, expected] of failures) {
    assert.equal(failureSummary(replicateErrors.failureFor(error, someFiles)), expected, error);
  }
  const weights = replicateErrors.failureFor('Failed to download video', { materials: false });
  assert.equal(weights.reason, 'failed', 'no file was sent');
  const detailIn = (body: unknown) => replicateErrors.errors.detail(responseOf(json(400, body)));
  assert.equal(detailIn({ title: 'Bad', detail: 'no' }), 'Bad: no');
  assert.equal(detailIn({ error: 'no' }), 'no');
  for (const body of malformed) assert.equal(detailIn(body), 'HTTP 400', JSON.stringify(body));
});

test('/v1/videos: the shapes of OpenAI, FastAPI, vLLM-Omni and gateways', () => {
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
  assertStarts(
    [
      [json(500, openAi('server_error', 'oops')), 'unknown'],
      [json(503, openAi(null, 'overloaded')), 'unknown'],
      [json(503, { detail: 'Video generation handler not initialized.' }), 'failed'],
      [json(500, { detail: 'Video generation setup failed: no such stage' }), 'failed'],
      [json(401, { error: 'Unauthorized' }), 'failed'],
      [json(429, openAi('rate_limit_exceeded', 'slow')), 'throttled 20'],
      [{ status: 429, body: '' }, 'throttled 20'],
      [json(429, openAi('insufficient_quota', 'You exceeded your current quota')), 'failed'],
      [json(400, openAi('moderation_blocked', 'no')), 'rejected prompt'],
      [json(400, { detail: 'Guardrail blocked the prompt: violence' }), 'rejected prompt'],
      [json(400, vllm(400, 'Guardrail blocked the prompt')), 'rejected prompt'],
      [json(403, { error: { code: 403, message: 'flagged by moderation' } }), 'rejected prompt'],
      [json(400, vllm(400, vllmField)), 'failed'],
      [json(400, { detail: 'The safety checker could not be loaded' }), 'failed'],
      [json(422, field('size', 'no')), 'failed'],
      [json(400, { detail: "Model mismatch: 'x'" }), 'failed'],
      [json(404, { detail: 'Not Found' }), 'failed'],
    ],
    (response) => openAiErrors.errors.startResult(response, { materials: false }),
  );
  const complaints = [
    { detail: 'Invalid uploaded image reference' },
    { detail: 'Failed to process image source: cannot identify image file' },
    field('input_reference', 'Value error'),
    vllm(400, 'Invalid input_reference: provided content is not a valid image or video.'),
    vllm(400, 'Invalid audio_reference.audio_url: audio data is not valid base64.'),
    openAi(null, 'Unsupported type.', 'input_reference'),
  ].map((body) => json(400, body));
  for (const materials of [true, false]) {
    // A model that requires an image is no fault of a task without one.
    const expected = materials ? 'material' : 'failed';
    assertStarts(
      complaints.map((response) => [response, expected]),
      (response) => openAiErrors.errors.startResult(response, { materials }),
    );
  }

  const failures: readonly (readonly [code: string, message: string, expected: string])[] = [
    ['moderation_blocked', 'no', 'rejected'],
    ['', 'The safety checker flagged the output', 'rejected output'],
    ['', 'CUDA out of memory', 'failed'],
    ['504', 'took too long', 'timed_out'],
    ['400', 'cannot decode the input image', 'material'],
  ];
  for (const [code, message, expected] of failures) {
    const error = { code, message, field: '' };
    assert.equal(failureSummary(openAiErrors.failureFor(error, { materials: true })), expected);
  }

  const { detail, isNotFound } = openAiErrors.errors;
  const detailIn = (body: unknown) => detail(responseOf(json(400, body)));
  assert.equal(detailIn(openAi('invalid_value', 'No.', 'size')), 'invalid_value: size: No.');
  assert.equal(detailIn({ detail: 'Video\n  not found' }), 'Video not found');
  assert.equal(detailIn(field('size', 'no')), 'string_pattern_mismatch: size: no');
  assert.equal(detailIn({ code: 'fail_to_fetch', message: 'channel' }), 'fail_to_fetch: channel');
  for (const body of malformed) assert.equal(detailIn(body), 'HTTP 400', JSON.stringify(body));

  /** Only the upstream itself says that a video does not exist; a wrong base URL says the rest. */
  const notFound = { detail: 'Video not found' };
  for (const body of [notFound, vllm(404, 'Video not found'), openAi(null, 'Video v not found.')]) {
    assert.ok(isNotFound(responseOf(json(404, body))), JSON.stringify(body));
  }
  const others = [
    { detail: 'Not Found' },
    openAi(null, 'Invalid URL (GET /v1/video/1)'),
    { error: 'Route not found' },
    { code: '404', message: '404 page not found' },
  ];
  for (const body of [...others, ...malformed]) assert.ok(!isNotFound(responseOf(json(404, body))));
  assert.ok(!isNotFound(responseOf(json(500, notFound))));
});

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

test('reads paths of names, indexes and any element', () => {
  const json = { a: { b: [{ c: 1 }, [2, 3], { d: 5 }] }, 'x-y': 4 };
  assert.deepEqual(
    ['a.b[0].c', 'a.b[1][1]', 'a.b[*].d', 'x-y', 'a.c', 'a.b[3]', 'a[*]', 'constructor'].map(
      (path) => valueAt(json, path),
    ),
    [1, 3, 5, 4, undefined, undefined, undefined, undefined],
  );
  for (const path of ['', '.a', 'a.', 'a..b', 'a[', 'a[x]', '[0]', 'a b', '$.a', 'a[**]']) {
    assert.doesNotMatch(path, jsonPathPattern);
  }
});
