/** Every error that ModelArk documents, and what it proves about a start. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DocumentedCode,
  documentedError,
  documentedErrors,
  type ErrorShape,
  type ModelArkResponse,
} from '../../../proof/kit/modelark/errors.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { detailOf, failureFor, parseStartResult, readError } from './errors.ts';

function responseOf(raw: ModelArkResponse): UpstreamResponse {
  const headers = raw.headers ?? {};
  return { kind: 'response', status: raw.status, headers, json: JSON.parse(raw.body) };
}

const refused = (reason: 'failed' | 'rejected' | 'material') => ({
  outcome: 'rejected',
  reason,
  canFailOver: reason === 'failed',
});
const rejected = (part: string) => ({ ...refused('rejected'), rejectedPart: part });
const throttled = (retryAfterSeconds: number) => ({ outcome: 'throttled', retryAfterSeconds });
const unknown = { outcome: 'unknown' };

/** The result of a start for every documented code but those that are refused as failed. */
const expectedResults: Partial<Record<DocumentedCode, Readonly<Record<string, unknown>>>> = {
  InputTextSensitiveContentDetected: rejected('prompt'),
  InputImageSensitiveContentDetected: rejected('material'),
  'InputImageSensitiveContentDetected.PrivacyInformation': rejected('material'),
  InputVideoSensitiveContentDetected: rejected('material'),
  'InputVideoSensitiveContentDetected.PolicyViolation': rejected('material'),
  InputAudioSensitiveContentDetected: rejected('material'),
  SensitiveContentDetected: rejected('input'),
  OutputVideoSensitiveContentDetected: rejected('output'),
  'OutputVideoSensitiveContentDetected.PolicyViolation': rejected('output'),
  OutputAudioSensitiveContentDetected: rejected('output'),
  'InvalidParameter.TaskTypeConstraint': rejected('settings'),
  'InvalidParameter.TaskTypeMismatch': rejected('settings'),
  'InvalidImageURL.EmptyURL': refused('material'),
  'InvalidImageURL.InvalidFormat': refused('material'),
  // Not documented for a create call, so no proof.
  'InvalidAction.RunningTaskDeletion': unknown,
  'RateLimitExceeded.EndpointRPMExceeded': throttled(20),
  'RateLimitExceeded.EndpointTPMExceeded': throttled(20),
  ModelAccountRpmRateLimitExceeded: throttled(20),
  ModelAccountTpmRateLimitExceeded: throttled(20),
  ModelAccountIpmRateLimitExceeded: throttled(20),
  APIAccountRpmRateLimitExceeded: throttled(20),
  AccountRateLimitExceeded: throttled(20),
  RequestBurstTooFast: throttled(5),
  ServerOverloaded: throttled(20),
  InflightBatchsizeExceeded: throttled(20),
  QuotaExceeded: throttled(30),
  InternalServiceError: unknown,
};

describe('documented error codes', () => {
  for (const code of Object.keys(documentedErrors) as DocumentedCode[]) {
    test(code, () => {
      const result = parseStartResult(responseOf(documentedError(code)));
      assert.partialDeepStrictEqual(result, expectedResults[code] ?? refused('failed'));
      assert.ok('detail' in result && result.detail.startsWith(`${code}: `));
    });
  }
});

describe('a message decides', () => {
  const messages: readonly (readonly [DocumentedCode, message: string, expected: object])[] = [
    ['QuotaExceeded', 'The number of queued tasks exceeds the limit', throttled(30)],
    ['QuotaExceeded', '排队任务数已达上限', throttled(30)],
    ['QuotaExceeded', 'Your free trial quota has been used up', refused('failed')],
    ['QuotaExceeded', 'You have exceeded the 5-hour usage quota', refused('failed')],
    ['InvalidParameter', 'video duration (seconds) must be less than 30.2', refused('material')],
    ['InvalidParameter', 'reference_video must be provided as a web url', refused('material')],
    ['InvalidParameter', 'content[2].image_url: failed to load', refused('material')],
    ['InvalidParameter', 'unable to download the video', refused('material')],
    ['InvalidParameter', 'audio format is not supported', refused('material')],
    ['InvalidParameter', 'duration is not valid for seedance-2-0 in i2v', refused('failed')],
    ['InvalidParameter', 'content[0].text is too long', refused('failed')],
    ['InvalidParameter', 'role must be specified for image contents.', refused('failed')],
    ['InvalidParameter', 'at most one first frame image content but got 2', refused('failed')],
  ];
  for (const [code, message, expected] of messages) {
    test(`${code}: ${message}`, () => {
      const result = parseStartResult(responseOf(documentedError(code, { message })));
      assert.partialDeepStrictEqual(result, expected);
      if (code === 'QuotaExceeded' || result.outcome !== 'rejected') return;
      assert.equal(failureFor({ code, message }).reason, result.reason);
    });
  }
});

test('uses the status of a response without a known code', () => {
  const table = [
    [400, refused('failed')],
    [429, throttled(20)],
    [500, unknown],
  ] as const;
  for (const [status, expected] of table) {
    const response = { kind: 'response', status, headers: {}, json: undefined } as const;
    assert.partialDeepStrictEqual(parseStartResult(response), expected);
  }
});

describe('the body of an error', () => {
  test('is read in every shape', () => {
    for (const shape of ['own', 'flat', 'control-plane'] satisfies ErrorShape[]) {
      const raw = documentedError('ModelNotOpen', { shape });
      assert.equal(readError(responseOf(raw))?.code, 'ModelNotOpen', shape);
    }
  });

  test('may be replaced by a header', () => {
    const headers = { 'x-error-code': 'SensitiveContentDetected' };
    const response = { kind: 'response', status: 400, headers, json: undefined } as const;
    assert.partialDeepStrictEqual(parseStartResult(response), refused('rejected'));
  });

  for (const json of [null, 3, 'x', [], {}, { error: 'x' }, { error: { code: 5 } }, { code: {} }]) {
    test(`may be malformed: ${JSON.stringify(json)}`, () => {
      const response = { kind: 'response', status: 400, headers: {}, json } as const;
      assert.equal(readError(response), undefined);
      assert.partialDeepStrictEqual(parseStartResult(response), refused('failed'));
    });
  }
});

test('shortens details to one line', () => {
  const detail = detailOf({ code: 'X', message: `a\n\u202eb${'c'.repeat(2_000)}` }, '');
  assert.ok(detail.startsWith('X: a bc') && detail.length === 500);
  assert.equal(detailOf(undefined, 'HTTP 500'), 'HTTP 500');
});
