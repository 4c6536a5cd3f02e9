/**
 * The result of both rate limits: whether the request is allowed, and the values for its headers.
 */

/** Limits are requests per minute (docs/spec.md 8). */
export const rateWindowSeconds = 60;

export type RateLimitResult =
  | {
      readonly allowed: true;
      /** 0 means no limit: the other values are then meaningless and not sent. */
      readonly limit: number;
      readonly remaining: number;
      /** Until the oldest counted request leaves the window. */
      readonly resetSeconds: number;
      /** When the request was counted, to uncount it; absent if it was not. */
      readonly stamp?: number;
    }
  | {
      readonly allowed: false;
      readonly limit: number;
      readonly remaining: 0;
      readonly resetSeconds: number;
      /** A request after exactly this time is allowed, unless another one comes first. */
      readonly retryAfterSeconds: number;
    };

type WindowUsage = {
  readonly limit: number;
  /** After this request. */
  readonly remaining: number;
  readonly resetInMs: number;
  readonly stamp?: number;
};

export const unlimited: RateLimitResult = {
  allowed: true,
  limit: 0,
  remaining: 0,
  resetSeconds: 0,
};

/** The result for an unused window; `unlimited` if there is no limit. */
export const emptyWindow = (limit: number): RateLimitResult => ({
  allowed: true,
  limit,
  remaining: limit,
  resetSeconds: 0,
});

export function allow({ limit, remaining, resetInMs, stamp }: WindowUsage): RateLimitResult {
  const counted = stamp === undefined ? {} : { stamp };
  return { allowed: true, limit, remaining, resetSeconds: secondsIn(resetInMs), ...counted };
}

export function deny({
  limit,
  resetInMs,
}: Pick<WindowUsage, 'limit' | 'resetInMs'>): RateLimitResult {
  const seconds = secondsIn(resetInMs);
  const figures = { limit, remaining: 0, resetSeconds: seconds } as const;
  return { allowed: false, ...figures, retryAfterSeconds: seconds };
}

/** Rounded up, so that waiting exactly this long is enough, and never 0. */
function secondsIn(ms: number): number {
  // To the microsecond first: `now + 60 s - now` is slightly more than 60 s in floating point.
  return Math.max(1, Math.ceil(Math.round(ms * 1000) / 1_000_000));
}
