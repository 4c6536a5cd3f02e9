/**
 * Spaces calls out so that an upstream's limit of calls a second is kept by this process. Whoever
 * would have to wait too long is told how long instead, and can come back later.
 */
import { monotonicMs, sleep } from '../../clock.ts';

export type ThrottleGrant =
  | { readonly granted: true }
  | { readonly granted: false; readonly waitSeconds: number };

export interface CallThrottle {
  /**
   * Resolves when it is this call's turn. A refused one is told when to come, and may stay away.
   */
  acquire(options: {
    readonly waitMsMax: number;
    readonly signal?: AbortSignal;
  }): Promise<ThrottleGrant>;
}

export function createThrottle(options: { readonly perSecond: number }): CallThrottle {
  const gapMs = 1000 / options.perSecond;
  // No bursts: an upstream may count in seconds that begin when it likes.
  let freeAtMs = 0;
  // Each who is sent away is told a time of their own: if all came back together, all but a few
  // would be sent away again, and the upstream stand idle in between.
  let promisedMs = 0;

  return {
    async acquire({ waitMsMax, signal }) {
      const now = monotonicMs();
      const waitMs = Math.max(0, freeAtMs - now);
      if (waitMs > waitMsMax) {
        const at = Math.max(freeAtMs, promisedMs);
        promisedMs = at + gapMs;
        return { granted: false, waitSeconds: (at - now) / 1000 };
      }
      freeAtMs = now + waitMs + gapMs;
      if (waitMs > 0) await sleep(waitMs, signal);
      return { granted: true };
    },
  };
}
