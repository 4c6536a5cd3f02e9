/**
 * Reads values from an upstream's response. No type is trusted: what is missing or has another type
 * is undefined.
 */
import { unixSeconds } from '../../process/clock.ts';

export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Indexes hold up to 2,704 bytes, with the name of the provider. */
export const operationBytesMax = 2_048;

/**
 * An id of any printable characters: an id that was not read is a video that is paid for and never
 * delivered. LiteLLM's are base64 of several hundred characters. Callers escape it in paths, which
 * leaves `.` and `..` as they are: both would lead to another endpoint.
 */
export function asOperation(value: unknown): string | undefined {
  const isId = typeof value === 'string' && /^[^\p{C}\p{Z}]{1,1024}$/u.test(value);
  const isKept = isId && Buffer.byteLength(value) <= operationBytesMax;
  return isKept && !/^\.{1,2}$/.test(value) ? value : undefined;
}

export function asUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined;
}

export function asJson(body: Buffer | string | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

type Headers = Readonly<Record<string, string>>;

const retryAfterSecondsMax = 600;

/** Reads `Retry-After`, or `Retry-After-Ms` where the upstream sends it, in seconds. */
export function parseRetryAfter(headers: Headers): number | undefined {
  const parts = [
    [headers['retry-after-ms'], 1000],
    [headers['retry-after'], 1],
  ] as const;
  for (const [value, perSecond] of parts) {
    if (value && /^\d{1,9}$/.test(value)) return boundedSeconds(Number(value) / perSecond);
  }
  // Or a date (RFC 9110, 10.2.3), by the upstream's own clock where it says what it is.
  const [at, sent] = [headers['retry-after'], headers.date].map((date = '') =>
    date.endsWith(' GMT') ? Date.parse(date) / 1000 : Number.NaN,
  ) as [number, number];
  if (Number.isNaN(at)) return undefined;
  return boundedSeconds(at - (Number.isNaN(sent) ? unixSeconds() : sent));
}

const boundedSeconds = (seconds: number): number =>
  Math.min(Math.max(Math.ceil(seconds), 1), retryAfterSecondsMax);

const detailCharactersMax = 500;

/** Shortens an upstream's message to one line for logs and admins. */
export const toSingleLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, detailCharactersMax);

/** Joins the parts of an error message that are present; `fallback` when none is. */
export const joinDetail = (parts: readonly (string | undefined)[], fallback: string): string =>
  toSingleLine(parts.filter(Boolean).join(': ')) || fallback;

/** The Unix time at the upstream, whose timestamps follow its own clock; local time without one. */
export function upstreamSeconds({ headers }: { readonly headers: Headers }): number {
  const dateMs = Date.parse(headers.date ?? '');
  return Number.isNaN(dateMs) ? unixSeconds() : Math.floor(dateMs / 1000);
}

/**
 * Paths to a value, with names and indexes: `output.files[0].url`. `steps[*].url` is that of the
 * first element that has one.
 */
export const jsonPathPattern = /^[\w-]+(\[(\d{1,4}|\*)\])*(\.[\w-]+(\[(\d{1,4}|\*)\])*)*$/;

/** Returns undefined when there is no value. */
export const valueAt = (json: unknown, path: string): unknown =>
  valueIn(
    json,
    path.split(/[.[\]]+/).filter((part) => part !== ''),
  );

function valueIn(json: unknown, [part, ...rest]: readonly string[]): unknown {
  if (part === undefined) return json;
  if (part === '*') {
    if (!Array.isArray(json)) return undefined;
    for (const element of json) {
      const found = valueIn(element, rest);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, part)) return undefined;
  return valueIn((json as Record<string, unknown>)[part], rest);
}
