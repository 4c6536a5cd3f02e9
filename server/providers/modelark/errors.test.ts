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
  outcome: 'refused',
  reason,
  canFailOver: reason === 'failed',
});
const rejected = (part: string) => ({ ...refused('rejected'), rejectedPart: part });
const throttled = (retryAfterSeconds: number) => ({ outcome: 'throttled', retryAfterSeconds });
const unknown = { outcome: 'unknown' };

/** Every documented code, and the result of a start. */
const expectedResults: Record<DocumentedCode, Readonly<Record<string, unknown>>> = {
  MissingParameter: refused('failed'),
  'MissingParameter.model': refused('failed'),
  InvalidParameter: refused('failed'),
  'InvalidParameter.ratio': refused('failed'),
  'InvalidParameter.TaskTypeConstraint': refused('failed'),
  'InvalidParameter.TaskTypeMismatch': refused('failed'),
  'InvalidParameter.UnsupportedParameter': refused('failed'),
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
  'InvalidImageURL.EmptyURL': refused('material'),
  'InvalidImageURL.InvalidFormat': refused('material'),
  'InvalidEndpoint.ClosedEndpoint': refused('failed'),
  AuthenticationError: refused('failed'),
  InvalidAccountStatus: refused('failed'),
  AccessDenied: refused('failed'),
  AccountOverdueError: refused('failed'),
  'OperationDenied.ServiceNotOpen': refused('failed'),
  'OperationDenied.ServiceOverdue': refused('failed'),
  ModelNotOpen: refused('failed'),
  'InvalidEndpointOrModel.NotFound': refused('failed'),
  'NotFound.id': refused('failed'),
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
  SetLimitExceeded: refused('failed'),
  InternalServiceError: unknown,
};

describe('documented error codes', () => {
  for (const code of Object.keys(documentedErrors) as DocumentedCode[]) {
    test(code, () => {
      const result = parseStartResult(responseOf(documentedError(code)));
      assert.partialDeepStrictEqual(result, expectedResults[code]);
      assert.ok('detail' in result && result.detail.startsWith(`${code}: `));
    });
  }
});

describe('a quota error', () => {
  const messages = [
    { message: 'The number of queued tasks exceeds the limit', expected: throttled(30) },
    { message: '排队任务数已达上限', expected: throttled(30) },
    { message: 'Your free trial quota has been used up', expected: refused('failed') },
    { message: 'You have exceeded the 5-hour usage quota', expected: refused('failed') },
  ];
  for (const { message, expected } of messages) {
    test(`is read by its message: ${message}`, () => {
      const result = parseStartResult(responseOf(documentedError('QuotaExceeded', { message })));
      assert.partialDeepStrictEqual(result, expected);
    });
  }
});

describe('the message of a general InvalidParameter', () => {
  const messages = [
    {
      message: 'the parameter video duration (seconds) must be less than 30.2',
      reason: 'material',
    },
    { message: 'reference_video must be provided as a web url', reason: 'material' },
    { message: 'content[2].image_url: failed to load', reason: 'material' },
    { message: 'unable to download the video', reason: 'material' },
    { message: 'audio format is not supported', reason: 'material' },
    { message: 'duration is not valid for model dreamina-seedance-2-0 in i2v', reason: 'failed' },
    { message: 'content[0].text is too long', reason: 'failed' },
    { message: 'role must be specified for image contents.', reason: 'failed' },
    { message: 'expected at most one first frame image content but got 2', reason: 'failed' },
  ] as const;
  for (const { message, reason } of messages) {
    test(`distinguishes a bad material from a bad parameter: ${message}`, () => {
      const result = parseStartResult(responseOf(documentedError('InvalidParameter', { message })));
      assert.partialDeepStrictEqual(result, refused(reason));
      assert.equal(failureFor({ code: 'InvalidParameter', message }).reason, reason);
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
  for (const shape of ['own', 'flat', 'control-plane'] satisfies ErrorShape[]) {
    test(`is read in the ${shape} shape`, () => {
      const raw = documentedError('ModelNotOpen', { shape });
      assert.equal(readError(responseOf(raw))?.code, 'ModelNotOpen');
    });
  }

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
