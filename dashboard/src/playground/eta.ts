/**
 * Estimates progress and remaining time of a task: from the progress that the provider reports,
 * else from the typical time of such tasks. The bar is never full before the task has completed.
 */
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';

export type TypicalTime = PlaygroundEstimate['time'];

export type TaskTiming = {
  readonly status: TaskStatus;
  /** From 0 to 1; null when the provider reports none. */
  readonly progress: number | null;
  /** Since the task was created. */
  readonly elapsedSeconds: number;
  readonly typical: TypicalTime;
};

type Eta = {
  /** From 0 to 1; null when there is nothing to estimate from. */
  readonly fraction: number | null;
  readonly text: string;
};

/** The bar is nearly full at the median time and never full. */
const fractionAtMedian = 0.9;
const fractionMax = 0.97;

/** Below both limits, the rate of progress is too uncertain. */
const rateProgressMin = 0.1;
const rateSecondsMin = 2;

/** A task that waits longer waits for others, so the typical time says nothing about it. */
const queuedSecondsMax = 5;

export function etaOf(task: TaskTiming): Eta {
  if (task.status === 'queued' && task.elapsedSeconds > queuedSecondsMax) {
    return { fraction: null, text: 'In queue' };
  }
  return { fraction: fractionOf(task), text: formatEta(task) };
}

function fractionOf({ progress, elapsedSeconds, typical }: TaskTiming): number | null {
  if (progress !== null) return Math.min(Math.max(progress, 0), fractionMax);
  if (typical === null) return null;
  const { p50_seconds: median, p95_seconds: late } = typical;
  if (elapsedSeconds < median) return (fractionAtMedian * elapsedSeconds) / median;
  if (elapsedSeconds >= late) return fractionMax;
  const rest = (elapsedSeconds - median) / (late - median);
  return fractionAtMedian + rest * (fractionMax - fractionAtMedian);
}

function formatEta(task: TaskTiming): string {
  const { status, elapsedSeconds, typical } = task;
  if (typical !== null && elapsedSeconds > typical.p95_seconds) return 'Taking longer than usual';
  const remaining = remainingSeconds(task);
  if (remaining !== null)
    return remaining < 1 ? 'Any moment now' : `About ${formatSeconds(remaining)} left`;
  if (typical !== null) return `Up to ${formatSeconds(typical.p95_seconds - elapsedSeconds)} left`;
  return status === 'queued' ? 'In queue' : `${formatSeconds(elapsedSeconds)} elapsed`;
}

/** Uses the rate of the reported progress, else the median time until it has passed. */
function remainingSeconds({ progress, elapsedSeconds, typical }: TaskTiming): number | null {
  if (progress !== null && progress >= rateProgressMin && elapsedSeconds >= rateSecondsMin) {
    return (elapsedSeconds * (1 - progress)) / progress;
  }
  if (typical === null || elapsedSeconds >= typical.p50_seconds) return null;
  return typical.p50_seconds - elapsedSeconds;
}

/** Longer times are shown in minutes. */
const secondsShownMax = 90;

function formatSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole <= secondsShownMax ? `${whole} s` : `${Math.round(whole / 60)} min`;
}

/** Returns how long such tasks usually take; null when it is unknown. */
export function formatTypicalTime(typical: TypicalTime): string | null {
  if (typical === null) return null;
  const { p50_seconds: median, p95_seconds: late } = typical;
  const short = formatSeconds(median);
  const long = formatSeconds(late);
  return short === long ? `usually takes ${short}` : `usually takes ${short}, rarely over ${long}`;
}
