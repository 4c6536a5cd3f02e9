/** What both windows answer: may the request go on, and the figures the client is told. */

/** Limits are requests a minute (Spec 8). */
export const rateWindowSeconds = 60;

export type RateLimitResult =
  | {
      readonly allowed: true;
      /** 0 when there is no limit: then the other figures mean nothing and are not to be sent. */
      readonly limit: number;
      readonly remaining: number;
      /** Until the oldest counted request leaves the window and gives its place back. */
      readonly resetSeconds: number;
    }
  | {
      readonly allowed: false;
      readonly limit: number;
      readonly remaining: 0;
      readonly resetSeconds: number;
      /** A request made after exactly so long finds a place, unless another one takes it first. */
      readonly retryAfterSeconds: number;
    };

export type WindowUsage = {
  readonly limit: number;
  /** After this request. */
  readonly remaining: number;
  readonly resetInMs: number;
};

export const unlimited: RateLimitResult = {
  allowed: true,
  limit: 0,
  remaining: 0,
  resetSeconds: 0,
};

/** A window that nobody has used; where there is no limit, `unlimited`. */
export const emptyWindow = (limit: number): RateLimitResult => ({
  allowed: true,
  limit,
  remaining: limit,
  resetSeconds: 0,
});

export function allow({ limit, remaining, resetInMs }: WindowUsage): RateLimitResult {
  return { allowed: true, limit, remaining, resetSeconds: secondsIn(resetInMs) };
}

export function deny({ limit, resetInMs }: Omit<WindowUsage, 'remaining'>): RateLimitResult {
  const seconds = secondsIn(resetInMs);
  const figures = { limit, remaining: 0, resetSeconds: seconds } as const;
  return { allowed: false, ...figures, retryAfterSeconds: seconds };
}

/** Rounded up, so that waiting exactly so long is enough; `Retry-After: 0` would say nothing. */
function secondsIn(ms: number): number {
  // To the microsecond first: `now + 60 s - now` is a hair more than 60 s in floating point.
  return Math.max(1, Math.ceil(Math.round(ms * 1000) / 1_000_000));
}
