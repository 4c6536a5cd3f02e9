/**
 * Spaces out calls so that this process stays within an upstream's requests-per-second limit. A
 * call that would wait longer than `waitMsMax` gets the delay instead.
 */
import { monotonicMs, sleep } from '../../clock.ts';

type ThrottleGrant =
  | { readonly granted: true }
  | { readonly granted: false; readonly waitSeconds: number };

export interface CallThrottle {
  /** Resolves when the call may be made, or with a delay when it would wait too long. */
  acquire(options: {
    readonly waitMsMax: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<ThrottleGrant>;
}

export function createThrottle(options: { readonly perSecond: number }): CallThrottle {
  const gapMs = 1000 / options.perSecond;
  // No bursts: the upstream's one-second window can start at any time.
  let freeAtMs = 0;
  // Every denied call gets a different time. If all came back together, most would be denied again.
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
