/**
 * Reads a declared upstream's responses. What the description does not define has the careful
 * meaning: a 4xx proves that nothing was created, 429 means to wait, everything else proves
 * nothing.
 */
import type { ProviderFailure, ReportedCost, StartResult } from '../provider.ts';
import { failureOf, type RejectionContext } from '../toolkit/rejected-part.ts';
import { asNumber, asOperation, asText, joinDetail, valueAt } from '../toolkit/response-values.ts';
import { provesNothingCreated, rejectedStart, throttledStart } from '../toolkit/start-result.ts';
import type { ErrorReader } from '../toolkit/status-result.ts';
import type { UpstreamResponse } from '../toolkit/upstream.ts';
import type { reasons, State } from './call-settings.ts';
import type { DeclaredSettings } from './settings.ts';

type Errors = NonNullable<DeclaredSettings['errors']>;
type Status = DeclaredSettings['status'];
type DeclaredError = { readonly code: string; readonly message: string };

/** Returns undefined when the response has no error where the description expects one. */
export function readError(
  json: unknown,
  { code, message }: Pick<Errors, 'code' | 'message'>,
): DeclaredError | undefined {
  const textAt = (paths: string | readonly string[] | undefined): string =>
    [paths ?? []].flat().reduce((text, path) => text || (asCode(valueAt(json, path)) ?? ''), '');
  const error = { code: textAt(code), message: textAt(message) };
  return error.code === '' && error.message === '' ? undefined : error;
}

/** An error of a poll: where a status has it, otherwise where a response to a start has it. */
export const readStatusError = (json: unknown, errors: Errors): DeclaredError | undefined =>
  (errors.status && readError(json, errors.status)) ?? readError(json, errors);

/** An id may also be a number; one that lost digits when it was parsed is not read. */
export const asId = (value: unknown): string | undefined =>
  asOperation(Number.isSafeInteger(value) ? String(value) : value);

/** Codes and states may also be numbers or booleans. */
function asCode(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : asText(value);
}

export const detailOf = (error: DeclaredError | undefined, fallback: string): string =>
  joinDetail([error?.code, error?.message], fallback);

export const errorReaderFor = (errors: Errors): ErrorReader => ({
  detail: ({ status, json }) => detailOf(readStatusError(json, errors), `HTTP ${status}`),
  isNotFound: ({ status, json }) => status === 404 && readStatusError(json, errors) !== undefined,
});

/** Looks up a code or state: an exact match first, then patterns in their order. */
export function meaningOf<Meaning>(
  value: string,
  meanings: Readonly<Record<string, Meaning>>,
): Meaning | undefined {
  if (Object.hasOwn(meanings, value)) return meanings[value];
  return Object.entries(meanings).find(([pattern]) => matches(value, pattern))?.[1];
}

/** `*` matches any text. Searches the parts in order, which is linear for every pattern. */
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

/** By the code; by the message where no code has the meaning. */
const meaningOfError = <Meaning>(
  { code, message }: DeclaredError,
  meanings: Readonly<Record<string, Meaning>>,
): Meaning | undefined => meaningOf(code, meanings) ?? meaningOf(message, meanings);

/**
 * Whether a response to a poll ends the operation by its code or message. Other error responses say
 * nothing about it.
 */
export function endsOperation({ status, json }: UpstreamResponse, errors: Errors): boolean {
  const { ends = [], withheld = [] } = errors;
  const patterns = status >= 400 && status < 500 ? ends : status < 300 ? withheld : [];
  const error = readStatusError(json, errors);
  const meanings = Object.fromEntries(patterns.map((pattern) => [pattern, true]));
  return error !== undefined && meaningOfError(error, meanings) === true;
}

type Reason = Pick<ProviderFailure, 'reason' | 'rejectedPart'>;

/** Returns the description's meaning of an error, or `fallback`. */
export function reasonFor(
  error: DeclaredError | undefined,
  { reasons: meanings = {} }: Errors,
  fallback: 'failed' | 'rejected' = 'failed',
): Reason {
  return failureReasons[(error && meaningOfError(error, meanings)) ?? fallback];
}

/** Whether a code or message says that the operation was cancelled at the upstream. */
export const isCancelled = (
  error: DeclaredError | undefined,
  { reasons: meanings = {} }: Errors,
): boolean => error !== undefined && meaningOfError(error, meanings) === 'cancelled';

const failureReasons: Readonly<Record<(typeof reasons)[number], Reason>> = {
  failed: { reason: 'failed' },
  rejected: { reason: 'rejected' },
  'rejected-prompt': { reason: 'rejected', rejectedPart: 'prompt' },
  'rejected-material': { reason: 'rejected', rejectedPart: 'material' },
  'rejected-input': { reason: 'rejected', rejectedPart: 'input' },
  'rejected-output': { reason: 'rejected', rejectedPart: 'output' },
  material: { reason: 'material' },
  timed_out: { reason: 'timed_out' },
  cancelled: { reason: 'failed' },
};

const throttledSeconds = 20;

/** Reads an error response to a start call. */
export function parseStartResult(
  response: UpstreamResponse,
  errors: Errors,
  { materials }: RejectionContext = { materials: true },
): StartResult {
  const { status, json } = response;
  const error = readError(json, errors);
  const detail = detailOf(error, `HTTP ${status}`);
  const { start = {} } = errors;
  const meaning =
    (error && meaningOfError(error, start)) ??
    meaningOf(String(status), start) ??
    defaultMeaning(status);
  const cause = reasonFor(error, errors);
  // Nothing was generated yet, so a rejection is about the input: the prompt when it was alone.
  const { rejectedPart = 'input' } = cause;
  const part = rejectedPart === 'input' && !materials ? 'prompt' : rejectedPart;
  const rejected = rejectedStart(failureOf(cause.reason, detail, part));
  switch (meaning) {
    case 'unknown':
      return { outcome: 'unknown', detail };
    case 'throttled':
      return throttledStart(response, detail, throttledSeconds);
    case 'refused':
      return { ...rejected, canFailOver: false };
    case 'try-another':
      return { ...rejected, canFailOver: true };
    case undefined:
      return rejected;
  }
}

function defaultMeaning(status: number): 'unknown' | 'throttled' | undefined {
  if (!provesNothingCreated(status)) return 'unknown';
  return status === 429 ? 'throttled' : undefined;
}

/** Some upstreams send numbers as text. */
const toNumber = (value: unknown): number | undefined =>
  asNumber(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);

export function readStatus(json: unknown, status: Status) {
  const at = (path: string | undefined): unknown =>
    path === undefined ? undefined : valueAt(json, path);
  const rawState = asCode(at(status.state));
  const progress = toNumber(at(status.progress));
  return {
    /** Undefined for a state that the description does not define. */
    state: rawState === undefined ? absentState(json, status) : meaningOf(rawState, status.states),
    rawState,
    progress:
      progress === undefined ? undefined : Math.min(1, progress / (status.progressMax ?? 100)),
    outputSeconds: toNumber(at(status.outputSeconds)),
  };
}

/** What a finished operation says that it costs. */
export function readCost(json: unknown, status: Status): ReportedCost | undefined {
  const { cost, units, billedSeconds } = status;
  const at = (path: string | undefined) =>
    path === undefined ? undefined : toNumber(valueAt(json, path));
  const amount = at(cost);
  const count = at(units?.at);
  const seconds = at(billedSeconds?.output);
  if (amount !== undefined) return { amount };
  if (units && count !== undefined) return { units: count, unit: units.unit };
  return seconds === undefined ? undefined : { seconds, inputSeconds: at(billedSeconds?.input) };
}

/** A response without a state is completed only with a video, and running without one. */
function absentState(json: unknown, status: Status): State | undefined {
  if (json === undefined) return undefined;
  if (status.absentState !== 'completed') return status.absentState;
  const { video, videoBase64, file } = status;
  const place = video ?? videoBase64 ?? file?.id;
  const hasVideo = place !== undefined && asCode(valueAt(json, place)) !== undefined;
  return hasVideo ? 'completed' : 'running';
}
