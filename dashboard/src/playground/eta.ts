/**
 * Honest progress: the bar follows the provider where it tells, else how long such tasks usually
 * take; it is never full before the video is there, and says so when it takes longer than usual.
 */
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';

export type TypicalTime = PlaygroundEstimate['time'];

export type TaskTiming = {
  readonly status: TaskStatus;
  /** 0 to 1, where the provider tells. */
  readonly progress: number | null;
  /** Since it was created. */
  readonly elapsedSeconds: number;
  readonly typical: TypicalTime;
};

type Eta = {
  /** 0 to 1; null where there is nothing to go by. */
  readonly fraction: number | null;
  readonly text: string;
};

/** What is usually over by now is nearly over; and nothing is over before it is. */
const fractionAtMedian = 0.9;
const fractionMax = 0.97;

/** Below it a rate is a guess. */
const rateProgressMin = 0.1;
const rateSecondsMin = 2;

export function etaOf(task: TaskTiming): Eta {
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
  return status === 'queued' ? 'Waiting for its turn' : `${formatSeconds(elapsedSeconds)} so far`;
}

/** By the rate it has come with, once there is one; else by the median, until that has passed. */
function remainingSeconds({ progress, elapsedSeconds, typical }: TaskTiming): number | null {
  if (progress !== null && progress >= rateProgressMin && elapsedSeconds >= rateSecondsMin) {
    return (elapsedSeconds * (1 - progress)) / progress;
  }
  if (typical === null || elapsedSeconds >= typical.p50_seconds) return null;
  return typical.p50_seconds - elapsedSeconds;
}

/** Beyond a minute and a half nobody counts seconds. */
const secondsShownMax = 90;

function formatSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole <= secondsShownMax ? `${whole} s` : `${Math.round(whole / 60)} min`;
}

/** Before it is created: what to expect. */
export function formatTypicalTime(typical: TypicalTime): string | null {
  if (typical === null) return null;
  const { p50_seconds: median, p95_seconds: late } = typical;
  const [short, long] = [formatSeconds(median), formatSeconds(late)];
  return short === long ? `usually takes ${short}` : `usually takes ${short}, rarely over ${long}`;
}
