/**
 * Time that goes on while a page is open. One timer for everything that shows it, and none while
 * nothing does; whatever is drawn in between is drawn with the time of that moment.
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

/** For words such as "5 minutes ago". */
export const useNowMs = createClock(15_000);
/** For what is counted second by second. */
export const useTickingNowMs = createClock(1000);
