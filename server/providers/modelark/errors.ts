/**
 * ModelArk's error codes in our words. The one question that costs money is whether an error proves
 * that nothing was created; where it does not, the answer is `unknown`.
 */
import type { RejectedPart } from '@vidgen/contract/failure-messages.ts';
import type { ProviderFailure, StartResult } from '../provider.ts';
import { rejectedPartField } from '../toolkit/rejected-part.ts';
import { asRecord, asText, parseRetryAfter, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';

export type ModelArkError = { readonly code: string; readonly message: string };

/** Its own shape, a gateway's flat one, and the one of the platform's control plane. */
export function readError(response: UpstreamResponse): ModelArkError | undefined {
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

/** Limits prove that nothing was created; how long to wait where none is told. */
const throttles: readonly { readonly code: RegExp; readonly seconds: number }[] = [
  { code: /^RequestBurstTooFast$/, seconds: 5 },
  { code: /^RateLimitExceeded\b|RateLimitExceeded$/, seconds: 20 },
  { code: /^(ServerOverloaded|InflightBatchsizeExceeded)$/, seconds: 20 },
];

/** The create call was answered with something else than a task. */
export function parseStartResult(response: UpstreamResponse): StartResult {
  const error = readError(response);
  const code = error?.code ?? '';
  const detail = detailOf(error, `HTTP ${response.status}`);

  if (!provesNothingCreated(response.status, code)) return { outcome: 'unknown', detail };

  const wait = throttleSeconds(response.status, error);
  if (wait !== undefined) {
    return {
      outcome: 'throttled',
      retryAfterSeconds: parseRetryAfter(response.headers) ?? wait,
      detail,
    };
  }
  const reason = reasonFor(error);
  // Refused content and broken materials would be refused elsewhere too. All else is between the
  // upstream and us (key, account, model not opened, a field it dislikes): another may well do it.
  const part = reason === 'rejected' ? (partOf(code) ?? 'input') : undefined;
  const canFailOver = reason === 'failed';
  return { outcome: 'refused', canFailOver, reason, detail, ...rejectedPartField(part) };
}

/** A task that was created and has failed. */
export function failureFor(error: ModelArkError | undefined): ProviderFailure {
  const detail = detailOf(error, 'failed without an error');
  return { reason: reasonFor(error), detail, ...rejectedPartField(partOf(error?.code ?? '')) };
}

/** `InputTextSensitiveContentDetected`, `OutputVideo…`: the code begins with what was refused. */
function partOf(code: string): RejectedPart | undefined {
  const [, side, kind] = /^(Input|Output)(Text|Image|Video|Audio)Sensitive/.exec(code) ?? [];
  if (side === undefined) return undefined;
  if (side === 'Output') return 'output';
  return kind === 'Text' ? 'prompt' : 'material';
}

/**
 * A redirect or a 4xx was decided before anything was created; a 5xx, or a proxy that gave up
 * waiting (408, 499), says nothing about what happens behind it. 409 is not documented for create.
 */
function provesNothingCreated(status: number, code: string): boolean {
  if (code === 'InternalServiceError') return false;
  return status >= 300 && status < 500 && ![408, 409, 499].includes(status);
}

function throttleSeconds(status: number, error: ModelArkError | undefined): number | undefined {
  if (status !== 429) return undefined;
  // One code for three things: only the limit of queued tasks ends by itself soon; a used-up trial
  // or a quota by the week does not.
  if (error?.code === 'QuotaExceeded') return /queu|排队/i.test(error.message) ? 30 : undefined;
  // The operator's own spending cap: the service is paused until the operator acts.
  if (error?.code === 'SetLimitExceeded') return undefined;
  return throttles.find((throttle) => throttle.code.test(error?.code ?? ''))?.seconds ?? 20;
}

/**
 * What a bad material is called in the message of a general `InvalidParameter`: its place in the
 * content (0 is the prompt), its field, or a property that only a file has.
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
  if (/^InvalidParameter\.TaskType/.test(error.code)) return 'failed';
  if (/^InvalidParameter\b/.test(error.code) && materialErrorPattern.test(error.message))
    return 'material';
  return 'failed';
}

/** For the operator's log: short, on one line, with the code first. */
export function detailOf(error: ModelArkError | undefined, fallback: string): string {
  if (!error) return fallback;
  return toSingleLine(error.message ? `${error.code}: ${error.message}` : error.code);
}
