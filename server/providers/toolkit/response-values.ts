/**
 * Values in an upstream's answer, for adapters. What comes from outside is never trusted to have a
 * type: whatever is missing, or is something else than it should be, is undefined.
 */

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

/** An id that can stand in a path; anything else could lead elsewhere. */
export function asOperation(value: unknown): string | undefined {
  return typeof value === 'string' && /^\w[\w.:-]{0,199}$/.test(value) ? value : undefined;
}

export function asUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined;
}

/** The body of a callback. */
export function asJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const retryAfterSecondsMax = 600;

/** `Retry-After` in seconds, or in milliseconds where an upstream has that header too. */
export function parseRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const parts = [
    [headers['retry-after-ms'], 1000],
    [headers['retry-after'], 1],
  ] as const;
  for (const [value, perSecond] of parts) {
    if (!value || !/^\d{1,9}$/.test(value)) continue;
    return Math.min(Math.max(Math.ceil(Number(value) / perSecond), 1), retryAfterSecondsMax);
  }
  return undefined;
}

const detailCharactersMax = 500;

/** An upstream's words for the operator's log: short, and on one line. */
export const toSingleLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, detailCharactersMax);
