/**
 * A declared upstream's answers in our words. Where the description says nothing, the careful
 * meaning holds: a 4xx proves that nothing was created, 429 asks to wait, all else proves nothing.
 */

import type { ProviderFailure, StartAnswer } from '../provider.ts';
import { asNumber, asText, onOneLine, toldWaitSeconds } from '../toolkit/answer-values.ts';
import { valueAt } from '../toolkit/json-path.ts';
import type { UpstreamAnswer } from '../toolkit/upstream.ts';
import type { DeclaredSettings, reasons, State, startMeanings } from './settings.ts';

type Errors = NonNullable<DeclaredSettings['errors']>;
type Status = DeclaredSettings['status'];
export type UpstreamError = { readonly code: string; readonly message: string };

/** Undefined: the answer has no error where the description looks for one. */
export function readError(json: unknown, errors: Errors): UpstreamError | undefined {
  const wordAt = (place: string | undefined): string =>
    place === undefined ? '' : (asWord(valueAt(json, place)) ?? '');
  const [code, message] = [wordAt(errors.code), wordAt(errors.message)];
  return code === '' && message === '' ? undefined : { code, message };
}

/** Codes and states may be numbers, or true and false. */
function asWord(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : asText(value);
}

/** For the operator's log, with the code first. */
export const detailOf = (error: UpstreamError | undefined, otherwise: string): string =>
  onOneLine([error?.code, error?.message].filter(Boolean).join(': ')) || otherwise;

/** The meaning of a word: exactly that one first, then by patterns in their order. */
export function meaningOf<Meaning>(
  word: string,
  meanings: Readonly<Record<string, Meaning>>,
): Meaning | undefined {
  if (Object.hasOwn(meanings, word)) return meanings[word];
  return Object.entries(meanings).find(([pattern]) => matches(word, pattern))?.[1];
}

/** `*` stands for any part; parts are looked for in turn, so that no pattern can make it work. */
function matches(word: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return word === pattern;
  if (!word.startsWith(first) || !word.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = word.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= word.length - last.length;
}

type Reason = Pick<ProviderFailure, 'reason' | 'refused'>;

/** What an error's code means by the description; `otherwise` where it says nothing of it. */
export function reasonFor(
  error: UpstreamError | undefined,
  { reasons: meanings = {} }: Errors,
  otherwise: 'failed' | 'rejected' = 'failed',
): Reason {
  return reasonsOf[(error && meaningOf(error.code, meanings)) ?? otherwise];
}

const reasonsOf: Readonly<Record<(typeof reasons)[number], Reason>> = {
  failed: { reason: 'failed' },
  rejected: { reason: 'rejected' },
  'rejected-prompt': { reason: 'rejected', refused: 'prompt' },
  'rejected-material': { reason: 'rejected', refused: 'material' },
  'rejected-input': { reason: 'rejected', refused: 'input' },
  'rejected-output': { reason: 'rejected', refused: 'output' },
  material: { reason: 'material' },
  timed_out: { reason: 'timed_out' },
};

const throttledSeconds = 20;

/** The start was answered with something else than success. */
export function startAnswerFor(answer: UpstreamAnswer, errors: Errors): StartAnswer {
  const error = readError(answer.json, errors);
  const detail = detailOf(error, `HTTP ${answer.status}`);
  const { start = {} } = errors;
  const told = (error && meaningOf(error.code, start)) ?? meaningOf(String(answer.status), start);
  const why = reasonFor(error, errors);
  // Nothing was made yet: what was refused is what the customer sent.
  const input = why.reason === 'rejected' ? ({ refused: 'input' } as const) : {};
  const failure = { ...input, ...why, detail };
  switch (told ?? usualMeaning(answer.status, why.reason)) {
    case 'unknown':
      return { outcome: 'unknown', detail };
    case 'throttled': {
      const retryAfterSeconds = toldWaitSeconds(answer.headers) ?? throttledSeconds;
      return { outcome: 'throttled', retryAfterSeconds, detail };
    }
    case 'refused':
      return { outcome: 'refused', tryAnother: false, ...failure };
    case 'try-another':
      return { outcome: 'refused', tryAnother: true, ...failure };
  }
}

/**
 * Refused content and broken files would be refused elsewhere too; what is between the upstream and
 * us may be made by another. 408 and 499 are of a proxy that gave up waiting.
 */
function usualMeaning(
  status: number,
  reason: ProviderFailure['reason'],
): (typeof startMeanings)[number] {
  if (status < 300 || status >= 500 || [408, 409, 499].includes(status)) return 'unknown';
  if (status === 429) return 'throttled';
  return reason === 'rejected' || reason === 'material' ? 'refused' : 'try-another';
}

export type StatusReading = {
  /** Undefined: a state the description does not know, or none at all. */
  readonly state: State | undefined;
  readonly word: string | undefined;
  readonly progress: number | undefined;
  readonly outputSeconds: number | undefined;
};

export function readStatus(json: unknown, status: Status): StatusReading {
  const at = (place: string | undefined): unknown =>
    place === undefined ? undefined : valueAt(json, place);
  const word = asWord(at(status.state));
  const progress = asNumber(at(status.progress));
  return {
    state: word === undefined ? undefined : meaningOf(word, status.states),
    word,
    progress:
      progress === undefined ? undefined : Math.min(1, progress / (status.progressMax ?? 100)),
    outputSeconds: asNumber(at(status.outputSeconds)),
  };
}
