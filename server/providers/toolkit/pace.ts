/**
 * Spaces calls out so that an upstream's limit of calls a second is kept by this process. Whoever
 * would have to wait too long is told how long instead, and can come back later.
 */
import { elapsedMs, sleep } from '../../clock.ts';

export type Turn =
  | { readonly granted: true }
  | { readonly granted: false; readonly waitSeconds: number };

export interface Pace {
  /**
   * Resolves when it is this call's turn. A refused one is told when to come, and may stay away.
   */
  turn(options: { readonly waitMsMax: number; readonly signal?: AbortSignal }): Promise<Turn>;
}

export function createPace(options: { readonly perSecond: number }): Pace {
  const gapMs = 1000 / options.perSecond;
  // No bursts: an upstream may count in seconds that begin when it likes.
  let freeAtMs = 0;
  // Each who is sent away is told a time of their own: if all came back together, all but a few
  // would be sent away again, and the upstream stand idle in between.
  let toldMs = 0;

  return {
    async turn({ waitMsMax, signal }) {
      const now = elapsedMs();
      const waitMs = Math.max(0, freeAtMs - now);
      if (waitMs > waitMsMax) {
        const at = Math.max(freeAtMs, toldMs);
        toldMs = at + gapMs;
        return { granted: false, waitSeconds: (at - now) / 1000 };
      }
      freeAtMs = now + waitMs + gapMs;
      if (waitMs > 0) await sleep(waitMs, signal);
      return { granted: true };
    },
  };
}
