/** Maps ModelArk's error codes to start results and failures. */
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ProviderFailure } from '../provider.ts';
import { createErrors } from '../toolkit/async-adapter.ts';
import { failureOf } from '../toolkit/rejected-part.ts';
import { asRecord, asText, joinDetail } from '../toolkit/response-values.ts';
import { provesNothingCreated } from '../toolkit/start-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import { vidgenFailure } from '../toolkit/vidgen-failure.ts';

type ModelArkError = { readonly code: string; readonly message: string };

/** Reads the API's own shape, a gateway's flat one, and that of the platform's control plane. */
function readError(response: UpstreamResponse): ModelArkError | undefined {
  const body = asRecord(response.json);
  const shapes = [
    [asRecord(body?.error), 'code', 'message'],
    [body, 'code', 'message'],
    [asRecord(asRecord(body?.ResponseMetadata)?.Error), 'Code', 'Message'],
  ] as const;
  for (const [shape, code, message] of shapes) {
    const found = asText(shape?.[code]);
    if (found) return { code: found, message: asText(shape?.[message]) ?? '' };
  }
  const code = asText(response.headers['x-error-code']);
  return code ? { code, message: '' } : undefined;
}

/** Codes of rate limits, and how long to wait without `Retry-After`. */
const throttles: readonly { readonly code: RegExp; readonly seconds: number }[] = [
  { code: /^RequestBurstTooFast$/, seconds: 5 },
  { code: /^RateLimitExceeded\b|RateLimitExceeded$/, seconds: 20 },
  { code: /^(ServerOverloaded|InflightBatchsizeExceeded)$/, seconds: 20 },
];

/** Reads the error of a task that was created and failed. */
export function failureFor(error: ModelArkError | undefined): ProviderFailure {
  const detail = joinDetail([error?.code, error?.message], 'failed without an error');
  const own = error && vidgenFailure(error);
  if (own) return failureOf(own.reason, detail, own.rejectedPart);
  return failureOf(reasonFor(error), detail, partOf(error?.code ?? ''));
}

/**
 * The upstream judges from the prompt whether a video is edited or extended, and finds that ratio,
 * duration or the requested kind of task contradict it (`TaskTypeConstraint`, `TaskTypeMismatch`).
 */
const isTaskTypeError = (code: string): boolean => /^InvalidParameter\.TaskType/.test(code);

/** `InputTextSensitiveContentDetected`, `OutputVideo…`: the code begins with the rejected part. */
function partOf(code: string): RejectedPart | undefined {
  if (isTaskTypeError(code)) return 'settings';
  const [, side, kind] = /^(Input|Output)(Text|Image|Video|Audio)Sensitive/.exec(code) ?? [];
  if (side === undefined) return undefined;
  if (side === 'Output') return 'output';
  return kind === 'Text' ? 'prompt' : 'material';
}

function throttledSeconds(error: ModelArkError | undefined): number | undefined {
  // One code for three limits. Only the number of queued tasks clears soon; a used-up trial or a
  // weekly quota does not.
  if (error?.code === 'QuotaExceeded') return /queu|排队/i.test(error.message) ? 30 : undefined;
  // A spending limit of the account: the service is paused until it is raised.
  if (error?.code === 'SetLimitExceeded') return undefined;
  return throttles.find((throttle) => throttle.code.test(error?.code ?? ''))?.seconds ?? 20;
}

/**
 * Recognizes a bad material in the message of a general `InvalidParameter`: by its position in
 * `content` (0 is the prompt), its field, or a property that only a file has.
 */
const materialErrorPattern = new RegExp(
  [
    String.raw`\bcontent\[[1-9]\d*\]`,
    String.raw`\b(image|video|audio)_url\b`,
    String.raw`\breference_(image|video|audio)\b`,
    String.raw`\b(image|video|audio) (file |url )?(duration|size|width|height|format|pixels|fps)\b`,
    String.raw`\b(download|fetch|access|decode|read)\b.{0,30}\b(image|video|audio)\b`,
  ].join('|'),
  'i',
);

function reasonFor(error: ModelArkError | undefined): 'rejected' | 'material' | 'failed' {
  if (!error) return 'failed';
  if (error.code.includes('SensitiveContentDetected')) return 'rejected';
  if (/^Invalid(Image|Video|Audio)/.test(error.code)) return 'material';
  if (isTaskTypeError(error.code)) return 'rejected';
  if (/^InvalidParameter\b/.test(error.code) && materialErrorPattern.test(error.message))
    return 'material';
  return 'failed';
}

export const errors = createErrors<ModelArkError>({
  read: readError,
  parts: ({ code, message }) => [code, message],
  isProof: (status, error) =>
    provesNothingCreated(status) && error?.code !== 'InternalServiceError',
  throttledSeconds,
  rejection: (error) => ({
    reason: reasonFor(error),
    rejectedPart: partOf(error?.code ?? '') ?? 'input',
  }),
});
