/**
 * The only place that reads the machine's time or waits. Deadlines, leases and windows are decided
 * by the database's `now()`; this clock is for measuring, for waiting, and for ids that sort by
 * time.
 */
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds since 1970, for ids and signatures. */
export const nowMs = (): number => Date.now();

/** A clock that never jumps, for measuring how long something took. */
export const monotonicMs = (): number => performance.now();

export const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** 24 days: a timer that is set to more fires at once. Nothing here waits for that long. */
const timerMsMax = 2 ** 31 - 1;

/** Waits; resolves early (never rejects) when the signal fires. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(Math.min(ms, timerMsMax), undefined, signal ? { signal } : {}).catch(() => {});
}

/** Fires after the given time; does not keep the process alive. */
export const timeoutSignal = (ms: number): AbortSignal =>
  AbortSignal.timeout(Math.min(ms, timerMsMax));

/** Calls again and again until stopped; never two at once. The process may end meanwhile. */
export function startInterval(ms: number, work: () => void | Promise<void>): { stop(): void } {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    try {
      await work();
    } finally {
      busy = false;
    }
  }, ms);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Calls once, later, unless stopped first. */
export function startTimer(ms: number, work: () => void): { stop(): void } {
  const timer = setTimeout(work, Math.min(ms, timerMsMax));
  return { stop: () => clearTimeout(timer) };
}
