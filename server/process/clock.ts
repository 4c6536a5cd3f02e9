/**
 * The only place that reads the machine's clock or waits. Deadlines, leases and rate limits follow
 * the database's `now()`; this clock is for measuring, waiting, and IDs that sort by time.
 */
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds since 1970, for IDs and signatures. */
export const nowMs = (): number => Date.now();

/** A clock that never jumps, for measuring durations. */
export const monotonicMs = (): number => performance.now();

export const dayMs = 86_400_000;
export const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** 24 days: a timer with a longer delay would fire at once. */
const timerMsMax = 2 ** 31 - 1;

/** Waits; resolves early (never rejects) when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(Math.min(ms, timerMsMax), undefined, signal ? { signal } : {}).catch(() => {});
}

/** Runs the work when everything that has already arrived at this process was read. */
export const afterArrivals = (work: () => void): void => void setImmediate(work);

export type Deadline = Disposable & {
  readonly signal: AbortSignal;
  /** Whether the time is up; false if one of the signals came first. */
  readonly hasPassed: boolean;
};

/**
 * A signal that aborts after the given time, or with the first of `signals`. It must be disposed,
 * and then nothing of it is left: `AbortSignal.timeout` and `AbortSignal.any` hold their memory
 * until the time is up. Does not keep the process alive.
 */
export function startDeadline(ms: number, signals: readonly AbortSignal[] = []): Deadline {
  const controller = new AbortController();
  let hasPassed = false;
  const abort = () => {
    stop();
    controller.abort();
  };
  const pass = () => {
    hasPassed = true;
    abort();
  };
  const timer = Number.isFinite(ms) ? setTimeout(pass, Math.min(ms, timerMsMax)) : undefined;
  timer?.unref();
  const stop = () => {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  if (signals.some(({ aborted }) => aborted)) abort();
  return {
    signal: controller.signal,
    get hasPassed() {
      return hasPassed;
    },
    [Symbol.dispose]: stop,
  };
}

/** As `startDeadline`, without a time. */
export const linkSignals = (signals: readonly AbortSignal[]): Deadline =>
  startDeadline(Number.POSITIVE_INFINITY, signals);

/** Runs the work repeatedly until stopped, never two at once. Does not keep the process alive. */
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

/** Runs the work once, later, unless stopped first. */
export function startTimer(ms: number, work: () => void): { stop(): void } {
  const timer = setTimeout(work, Math.min(ms, timerMsMax));
  return { stop: () => clearTimeout(timer) };
}
