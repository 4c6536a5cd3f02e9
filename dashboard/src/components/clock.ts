/**
 * Hooks that return the current time of the service and re-render at an interval. All users of a
 * hook share one timer, which runs only while there are any.
 */
import { useSyncExternalStore } from 'react';
import { serviceNowMs } from '../api/service-clock.ts';

function createClock(tickMs: number): () => number {
  let ticks = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    timer ??= setInterval(() => {
      ticks++;
      for (const one of listeners) one();
    }, tickMs);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  return () => {
    useSyncExternalStore(subscribe, () => ticks);
    return serviceNowMs();
  };
}

/** For relative times such as "5 minutes ago". */
export const useNowMs = createClock(15_000);
/** For countdowns and progress. */
export const useTickingNowMs = createClock(1000);
