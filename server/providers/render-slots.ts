/** Places for work that keeps a core busy: first come, first served, and nobody waits for long. */
import { sleep } from '../clock.ts';

export type Slots = {
  /** Gives the place back when called; null when none became free in time. */
  take(options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<Release | null>;
};
export type Release = () => void;

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  /** The place goes straight to who has waited longest, so that it is never idle between two. */
  function releaseOnce(): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const [first] = waiting;
      if (!first) {
        free += 1;
        return;
      }
      waiting.delete(first);
      first();
    };
  }

  return {
    async take({ waitMs, signal }) {
      if (signal.aborted) return null;
      if (free > 0) {
        free -= 1;
        return releaseOnce();
      }
      const given = new AbortController();
      const call = (): void => given.abort();
      waiting.add(call);
      await sleep(waitMs, AbortSignal.any([signal, given.signal]));
      waiting.delete(call);
      return given.signal.aborted ? releaseOnce() : null;
    },
  };
}
