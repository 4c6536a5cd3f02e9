/**
 * A declared upstream's answers in our words. Where the description says nothing, the careful
 * meaning holds: a 4xx proves that nothing was created, 429 asks to wait, all else proves nothing.
 */

import type { ProviderFailure, StartResult } from '../provider.ts';
import { valueAt } from '../toolkit/json-path.ts';
import { asNumber, asText, parseRetryAfter, toSingleLine } from '../toolkit/response-values.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { DeclaredSettings, reasons, State, startMeanings } from './settings.ts';

type Errors = NonNullable<DeclaredSettings['errors']>;
type Status = DeclaredSettings['status'];
export type DeclaredError = { readonly code: string; readonly message: string };

/** Undefined: the answer has no error where the description looks for one. */
export function readError(json: unknown, errors: Errors): DeclaredError | undefined {
  const textAt = (path: string | undefined): string =>
    path === undefined ? '' : (asCode(valueAt(json, path)) ?? '');
  const [code, message] = [textAt(errors.code), textAt(errors.message)];
  return code === '' && message === '' ? undefined : { code, message };
}

/** Codes and states may be numbers, or true and false. */
function asCode(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : asText(value);
}

/** For the operator's log, with the code first. */
export const detailOf = (error: DeclaredError | undefined, fallback: string): string =>
  toSingleLine([error?.code, error?.message].filter(Boolean).join(': ')) || fallback;

/** The meaning of a word: exactly that one first, then by patterns in their order. */
export function meaningOf<Meaning>(
  value: string,
  meanings: Readonly<Record<string, Meaning>>,
): Meaning | undefined {
  if (Object.hasOwn(meanings, value)) return meanings[value];
  return Object.entries(meanings).find(([pattern]) => matches(value, pattern))?.[1];
}

/** `*` stands for any part; parts are looked for in turn, so that no pattern can make it work. */
function matches(value: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return value === pattern;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}

type Reason = Pick<ProviderFailure, 'reason' | 'rejectedPart'>;

/** What an error's code means by the description; `otherwise` where it says nothing of it. */
export function reasonFor(
  error: DeclaredError | undefined,
  { reasons: meanings = {} }: Errors,
  fallback: 'failed' | 'rejected' = 'failed',
): Reason {
  return failureReasons[(error && meaningOf(error.code, meanings)) ?? fallback];
}

const failureReasons: Readonly<Record<(typeof reasons)[number], Reason>> = {
  failed: { reason: 'failed' },
  rejected: { reason: 'rejected' },
  'rejected-prompt': { reason: 'rejected', rejectedPart: 'prompt' },
  'rejected-material': { reason: 'rejected', rejectedPart: 'material' },
  'rejected-input': { reason: 'rejected', rejectedPart: 'input' },
  'rejected-output': { reason: 'rejected', rejectedPart: 'output' },
  material: { reason: 'material' },
  timed_out: { reason: 'timed_out' },
};

const throttledSeconds = 20;

/** The start was answered with something else than success. */
export function parseStartResult(response: UpstreamResponse, errors: Errors): StartResult {
  const error = readError(response.json, errors);
  const detail = detailOf(error, `HTTP ${response.status}`);
  const { start = {} } = errors;
  const meaning =
    (error && meaningOf(error.code, start)) ?? meaningOf(String(response.status), start);
  const cause = reasonFor(error, errors);
  // Nothing was made yet: what was refused is what the customer sent.
  const input = cause.reason === 'rejected' ? ({ rejectedPart: 'input' } as const) : {};
  const failure = { ...input, ...cause, detail };
  switch (meaning ?? defaultMeaning(response.status, cause.reason)) {
    case 'unknown':
      return { outcome: 'unknown', detail };
    case 'throttled': {
      const retryAfterSeconds = parseRetryAfter(response.headers) ?? throttledSeconds;
      return { outcome: 'throttled', retryAfterSeconds, detail };
    }
    case 'refused':
      return { outcome: 'refused', canFailOver: false, ...failure };
    case 'try-another':
      return { outcome: 'refused', canFailOver: true, ...failure };
  }
}

/**
 * Refused content and broken files would be refused elsewhere too; what is between the upstream and
 * us may be made by another. 408 and 499 are of a proxy that gave up waiting.
 */
function defaultMeaning(
  status: number,
  reason: ProviderFailure['reason'],
): (typeof startMeanings)[number] {
  if (status < 300 || status >= 500 || [408, 409, 499].includes(status)) return 'unknown';
  if (status === 429) return 'throttled';
  return reason === 'rejected' || reason === 'material' ? 'refused' : 'try-another';
}

export type ParsedStatus = {
  /** Undefined: a state the description does not know, or none at all. */
  readonly state: State | undefined;
  readonly rawState: string | undefined;
  readonly progress: number | undefined;
  readonly outputSeconds: number | undefined;
};

export function readStatus(json: unknown, status: Status): ParsedStatus {
  const at = (path: string | undefined): unknown =>
    path === undefined ? undefined : valueAt(json, path);
  const rawState = asCode(at(status.state));
  const progress = asNumber(at(status.progress));
  return {
    state: rawState === undefined ? undefined : meaningOf(rawState, status.states),
    rawState,
    progress:
      progress === undefined ? undefined : Math.min(1, progress / (status.progressMax ?? 100)),
    outputSeconds: asNumber(at(status.outputSeconds)),
  };
}
