/**
 * Honest progress: the bar follows the provider where it tells, else how long such tasks usually
 * take; it is never full before the video is there, and says so when it takes longer than usual.
 */
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { TaskStatus } from '@vidgen/contract/task-status.ts';

export type UsualTime = PlaygroundEstimate['time'];

export type RunningTask = {
  readonly status: TaskStatus;
  /** 0 to 1, where the provider tells. */
  readonly progress: number | null;
  /** Since it was created. */
  readonly elapsedSeconds: number;
  readonly usual: UsualTime;
};

export type Eta = {
  /** 0 to 1; null where there is nothing to go by. */
  readonly share: number | null;
  readonly words: string;
};

/** What is usually over by now is nearly over; and nothing is over before it is. */
const shareAtMedian = 0.9;
const shareMax = 0.97;

/** Below it a rate is a guess. */
const tellingProgress = 0.1;
const tellingSeconds = 2;

export function etaOf(task: RunningTask): Eta {
  return { share: shareOf(task), words: wordsOf(task) };
}

function shareOf({ progress, elapsedSeconds, usual }: RunningTask): number | null {
  if (progress !== null) return Math.min(Math.max(progress, 0), shareMax);
  if (usual === null) return null;
  const { p50_seconds: median, p95_seconds: late } = usual;
  if (elapsedSeconds < median) return (shareAtMedian * elapsedSeconds) / median;
  if (elapsedSeconds >= late) return shareMax;
  const rest = (elapsedSeconds - median) / (late - median);
  return shareAtMedian + rest * (shareMax - shareAtMedian);
}

function wordsOf(task: RunningTask): string {
  const { status, elapsedSeconds, usual } = task;
  if (usual !== null && elapsedSeconds > usual.p95_seconds) return 'Taking longer than usual';
  const left = leftOf(task);
  if (left !== null) return left < 1 ? 'Any moment now' : `About ${secondsWords(left)} left`;
  if (usual !== null) return `Up to ${secondsWords(usual.p95_seconds - elapsedSeconds)} left`;
  return status === 'queued' ? 'Waiting for its turn' : `${secondsWords(elapsedSeconds)} so far`;
}

/** By the rate it has come with, once there is one; else by the median, until that has passed. */
function leftOf({ progress, elapsedSeconds, usual }: RunningTask): number | null {
  if (progress !== null && progress >= tellingProgress && elapsedSeconds >= tellingSeconds) {
    return (elapsedSeconds * (1 - progress)) / progress;
  }
  if (usual === null || elapsedSeconds >= usual.p50_seconds) return null;
  return usual.p50_seconds - elapsedSeconds;
}

/** Beyond a minute and a half nobody counts seconds. */
const secondsShownMax = 90;

function secondsWords(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole <= secondsShownMax ? `${whole} s` : `${Math.round(whole / 60)} min`;
}

/** Before it is created: what to expect. */
export function usualWords(usual: UsualTime): string | null {
  if (usual === null) return null;
  const { p50_seconds: median, p95_seconds: late } = usual;
  const [short, long] = [secondsWords(median), secondsWords(late)];
  return short === long ? `usually takes ${short}` : `usually takes ${short}, rarely over ${long}`;
}
