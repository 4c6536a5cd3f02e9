/**
 * ModelArk's error codes in our words. The one question that costs money is whether an error proves
 * that nothing was created; where it does not, the answer is `unknown`.
 */
import type { RefusedPart } from '@vidgen/contract/failure-sentences.ts';
import type { ProviderFailure, StartAnswer } from '../provider.ts';
import { asRecord, asText, onOneLine, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { refusedField } from '../toolkit/refused-part.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';

export type UpstreamError = { readonly code: string; readonly message: string };

/** Its own shape, a gateway's flat one, and the one of the platform's control plane. */
export function readError(answer: UpstreamAnswer): UpstreamError | undefined {
  const body = asRecord(answer.json);
  const shapes = [
    [asRecord(body?.error), 'code', 'message'],
    [body, 'code', 'message'],
    [asRecord(asRecord(body?.ResponseMetadata)?.Error), 'Code', 'Message'],
  ] as const;
  for (const [shape, code, message] of shapes) {
    const found = asText(shape?.[code]);
    if (found) return { code: found, message: asText(shape?.[message]) ?? '' };
  }
  const code = asText(answer.headers['x-error-code']);
  return code ? { code, message: '' } : undefined;
}

/** Limits prove that nothing was created; how long to wait where none is told. */
const throttles: readonly { readonly code: RegExp; readonly seconds: number }[] = [
  { code: /^RequestBurstTooFast$/, seconds: 5 },
  { code: /^RateLimitExceeded\b|RateLimitExceeded$/, seconds: 20 },
  { code: /^(ServerOverloaded|InflightBatchsizeExceeded)$/, seconds: 20 },
];

/** The create call was answered with something else than a task. */
export function startAnswerFor(answer: UpstreamAnswer): StartAnswer {
  const error = readError(answer);
  const code = error?.code ?? '';
  const detail = detailOf(error, `HTTP ${answer.status}`);

  if (!provesNothingCreated(answer.status, code)) return { outcome: 'unknown', detail };

  const wait = throttleSeconds(answer.status, error);
  if (wait !== undefined) {
    return {
      outcome: 'throttled',
      retryAfterSeconds: toldWaitSeconds(answer.headers) ?? wait,
      detail,
    };
  }
  const reason = reasonFor(error);
  // Refused content and broken materials would be refused elsewhere too. All else is between the
  // upstream and us (key, account, model not opened, a field it dislikes): another may well do it.
  const part = reason === 'rejected' ? (partOf(code) ?? 'input') : undefined;
  const tryAnother = reason === 'failed';
  return { outcome: 'refused', tryAnother, reason, detail, ...refusedField(part) };
}

/** A task that was created and has failed. */
export function failureFor(error: UpstreamError | undefined): ProviderFailure {
  const detail = detailOf(error, 'failed without an error');
  return { reason: reasonFor(error), detail, ...refusedField(partOf(error?.code ?? '')) };
}

/** `InputTextSensitiveContentDetected`, `OutputVideo…`: the code begins with what was refused. */
function partOf(code: string): RefusedPart | undefined {
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

function throttleSeconds(status: number, error: UpstreamError | undefined): number | undefined {
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
const namesMaterial = new RegExp(
  [
    String.raw`\bcontent\[[1-9]\d*\]`,
    String.raw`\b(image|video|audio)_url\b`,
    String.raw`\breference_(image|video|audio)\b`,
    String.raw`\b(image|video|audio) (file |url )?(duration|size|width|height|format|pixels|fps)\b`,
    String.raw`\b(download|fetch|access|decode|read)\b.{0,30}\b(image|video|audio)\b`,
  ].join('|'),
  'i',
);

function reasonFor(error: UpstreamError | undefined): 'rejected' | 'material' | 'failed' {
  if (!error) return 'failed';
  if (error.code.includes('SensitiveContentDetected')) return 'rejected';
  if (/^Invalid(Image|Video|Audio)/.test(error.code)) return 'material';
  if (/^InvalidParameter\.TaskType/.test(error.code)) return 'failed';
  if (/^InvalidParameter\b/.test(error.code) && namesMaterial.test(error.message))
    return 'material';
  return 'failed';
}

/** For the operator's log: short, on one line, with the code first. */
export function detailOf(error: UpstreamError | undefined, otherwise: string): string {
  if (!error) return otherwise;
  return onOneLine(error.message ? `${error.code}: ${error.message}` : error.code);
}
