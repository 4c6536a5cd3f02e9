/** What both windows answer: may the request go on, and the figures the client is told. */

/** Limits are requests a minute (Spec 8). */
export const rateWindowSeconds = 60;

export type RateAnswer =
  | {
      readonly admitted: true;
      /** 0 when there is no limit: then the other figures mean nothing and are not to be sent. */
      readonly limit: number;
      readonly remaining: number;
      /** Until the oldest counted request leaves the window and gives its place back. */
      readonly resetSeconds: number;
    }
  | {
      readonly admitted: false;
      readonly limit: number;
      readonly remaining: 0;
      readonly resetSeconds: number;
      /** A request made after exactly so long finds a place, unless another one takes it first. */
      readonly retryAfterSeconds: number;
    };

export type Places = {
  readonly limit: number;
  /** After this request. */
  readonly remaining: number;
  readonly freeInMs: number;
};

export const unlimited: RateAnswer = { admitted: true, limit: 0, remaining: 0, resetSeconds: 0 };

/** A window that nobody has used; where there is no limit, `unlimited`. */
export const unused = (limit: number): RateAnswer => ({
  admitted: true,
  limit,
  remaining: limit,
  resetSeconds: 0,
});

export function admit({ limit, remaining, freeInMs }: Places): RateAnswer {
  return { admitted: true, limit, remaining, resetSeconds: secondsIn(freeInMs) };
}

export function refuse({ limit, freeInMs }: Omit<Places, 'remaining'>): RateAnswer {
  const seconds = secondsIn(freeInMs);
  const figures = { limit, remaining: 0, resetSeconds: seconds } as const;
  return { admitted: false, ...figures, retryAfterSeconds: seconds };
}

/** Rounded up, so that waiting exactly so long is enough; `Retry-After: 0` would say nothing. */
function secondsIn(ms: number): number {
  // To the microsecond first: `now + 60 s - now` is a hair more than 60 s in floating point.
  return Math.max(1, Math.ceil(Math.round(ms * 1000) / 1_000_000));
}
