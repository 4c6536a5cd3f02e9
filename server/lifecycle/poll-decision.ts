/**
 * Decides what follows a poll and when the next one is made, without side effects. Only what a
 * provider says ends a task before its deadline, and at the deadline only a poll that was really
 * made.
 */
import type { ProviderFailure, ReportedCost, StatusResult } from '../providers/provider.ts';
import type { NextRun } from '../queue/outcome.ts';
import type { Attempt } from '../tasks/attempts.ts';
import { cancelTimeoutSeconds } from './cancel.ts';
import type { CollectResult } from './collect.ts';

export type PollFacts = {
  /** Until the deadline of the task, when the poll began and now. */
  readonly secondsLeft: { readonly before: number; readonly now: number };
  readonly isLeaseLost: boolean;
  readonly generatesDuringPoll: boolean;
  /** How long such generations have lately taken; null if not known. */
  readonly usualSeconds: number | null;
  readonly attempt: Pick<
    Attempt,
    'collectFailures' | 'secondsSinceAccepted' | 'secondsSinceCancelUnconfirmed'
  >;
  /** How often the poll was retried in a row. */
  readonly retries: number;
  /** A random number from 0 to 1. */
  readonly random: number;
};

type PollAgain = { readonly action: 'poll-again'; readonly next: NextRun };

export type PollAction =
  | PollAgain
  /** Another worker has the job. */
  | { readonly action: 'stop' }
  | { readonly action: 'time-out' }
  | { readonly action: 'collect'; readonly status: StatusResult & { outcome: 'completed' } }
  | { readonly action: 'fail'; readonly failure: Failure; readonly outcome: 'failed' | 'lost' };

export type Failure = ProviderFailure & {
  readonly canFailOver?: true;
  readonly cost?: ReportedCost | undefined;
};

const errorBackoffSeconds = [1, 2, 5, 10, 30] as const;
/** Keeps polls that failed together from being repeated together. */
const backoffJitter = 0.2;
/**
 * After this long, a failure is no longer attributed to a cancellation that the provider did not
 * confirm.
 */
const cancelMemorySeconds = 300;
const cancelPollSeconds = 5;
/** Polls are frequent after a cancellation that the provider did not confirm, for a short time. */
const unconfirmedPollSeconds = 1;
const unconfirmedSecondsMax = 30;
/** A finished video that cannot be fetched this often counts as a failure of the provider. */
const collectAttemptsMax = 8;
/**
 * How long a video that was finished at the deadline may take to fetch, and how long after the
 * deadline the fetch is begun again when it fails.
 */
export const lastCollectSeconds = 60;
const lastCollectRetrySecondsMax = 5;
const unreadRetrySecondsMin = 0.5;

/** The delay after an error of the provider or of the call. */
export function errorBackoff({ retries, random }: Pick<PollFacts, 'retries' | 'random'>): number {
  const seconds = errorBackoffSeconds[Math.min(retries, errorBackoffSeconds.length - 1)]!;
  return seconds * (1 + random * backoffJitter);
}

export function decidePoll(facts: PollFacts, status: StatusResult): PollAction {
  if (facts.isLeaseLost) return { action: 'stop' };
  switch (status.outcome) {
    case 'completed':
      return { action: 'collect', status };
    case 'failed':
      return { action: 'fail', failure: status, outcome: 'failed' };
    case 'lost':
      return { action: 'fail', failure: { ...status, reason: 'failed' }, outcome: 'lost' };
    case 'pending':
      return isLastPoll(facts) ? decideAtDeadline(facts, status) : pollLater(facts, status);
  }
}

/** A poll that began before the deadline is followed by one at the deadline. */
const isLastPoll = ({ secondsLeft, generatesDuringPoll }: PollFacts): boolean =>
  secondsLeft.before <= 0 || (generatesDuringPoll && secondsLeft.now <= 0);

type Pending = StatusResult & { outcome: 'pending' };

function decideAtDeadline(facts: PollFacts, status: Pending): PollAction {
  // Our own rate limit kept the poll from being made, so it says nothing about the video.
  if (status.isUnread) {
    const delaySeconds = Math.max(unreadRetrySecondsMin, status.pollAfterSeconds ?? 0);
    return pollAgain({ delaySeconds, retry: false });
  }
  // Its video is finished and was not fetched: this poll says nothing about that.
  const isFinished = facts.attempt.collectFailures > 0;
  return isFinished && canCollectLate(facts)
    ? collectLate(facts, 'not fetched yet')
    : { action: 'time-out' };
}

function pollLater(facts: PollFacts, status: Pending): PollAction {
  const { attempt, usualSeconds, random, secondsLeft } = facts;
  const seconds = nextPollDelaySeconds({
    status,
    usualSeconds,
    random,
    ageSeconds: attempt.secondsSinceAccepted ?? 0,
  });
  const { secondsSinceCancelUnconfirmed: sinceCancel } = attempt;
  const isCancelRecent = sinceCancel !== null && sinceCancel < unconfirmedSecondsMax;
  const delaySeconds = delayWithinDeadline(
    isCancelRecent ? Math.min(seconds, unconfirmedPollSeconds) : seconds,
    secondsLeft.now,
  );
  return pollAgain({ delaySeconds, retry: status.alert !== undefined });
}

/** Not where a poll generates: it would begin from the start. */
const canCollectLate = ({ secondsLeft, generatesDuringPoll }: PollFacts): boolean =>
  !generatesDuringPoll && secondsLeft.now > -lastCollectSeconds;

function collectLate(facts: PollFacts, error: string): PollAction {
  const delaySeconds = Math.min(errorBackoff(facts), lastCollectRetrySecondsMax);
  return pollAgain({ delaySeconds, retry: true, error });
}

const pollAgain = (next: Omit<NextRun, 'kind'>): PollAgain => ({
  action: 'poll-again',
  next: { kind: 'poll', ...next },
});

/**
 * After a finished video could not be fetched. A result that cannot be stored here is paid for and
 * still available: only the deadline ends the retries. `wasPastDeadline`: before the fetch.
 */
export function decideUncollected(
  facts: PollFacts & { readonly wasPastDeadline: boolean },
  {
    detail,
    isLocalFailure,
    collectFailures,
  }: CollectResult & { outcome: 'failed' } & { readonly collectFailures: number },
): PollAction {
  if (facts.isLeaseLost) return { action: 'stop' };
  if (!isLocalFailure && collectFailures >= collectAttemptsMax) {
    return { action: 'fail', failure: { reason: 'failed', detail }, outcome: 'failed' };
  }
  if (facts.wasPastDeadline) {
    return canCollectLate(facts) ? collectLate(facts, detail) : { action: 'time-out' };
  }
  const delaySeconds = delayWithinDeadline(errorBackoff(facts), facts.secondsLeft.now);
  return pollAgain({ delaySeconds, retry: true, error: detail });
}

export type FailureAction =
  | PollAgain
  | { readonly action: 'fail' }
  | { readonly action: 'fail-over' }
  /** The provider has ended the generation because it was cancelled. */
  | { readonly action: 'cancelled' };

/**
 * While a cancellation is under way, the end of the generation is its effect, and the cancellation
 * ends the task. After one that the provider did not confirm, the end confirms it. `attempt` is
 * read after the poll: the cancellation may have begun meanwhile.
 */
export function decideFailure(
  facts: Pick<PollFacts, 'secondsLeft'>,
  failure: Failure,
  attempt: Pick<Attempt, 'secondsSinceCancelRequested' | 'secondsSinceCancelUnconfirmed'> | null,
): FailureAction {
  const seconds = attempt?.secondsSinceCancelRequested ?? null;
  const wasRequested = (attempt?.secondsSinceCancelUnconfirmed ?? null) !== null;
  if (seconds === null && !wasRequested && failure.canFailOver) return { action: 'fail-over' };
  const isOurCancel = wasRequested && failure.reason === 'failed';
  if (!isOurCancel && (seconds === null || seconds > cancelMemorySeconds)) {
    return { action: 'fail' };
  }
  if (seconds === null || seconds >= cancelTimeoutSeconds) return { action: 'cancelled' };
  const delaySeconds = delayWithinDeadline(cancelPollSeconds, facts.secondsLeft.now);
  return pollAgain({ delaySeconds, retry: false });
}

export type PollTiming = Pick<PollFacts, 'usualSeconds' | 'random'> & {
  readonly status: Pending;
  /** Since the provider accepted the task. */
  readonly ageSeconds: number;
};

/** Keeps tasks that started together from polling together. */
const jitterRatio = 0.1;
const pollSecondsMin = 2;
const pollSecondsMax = 15;
/** Polls begin at this share of the usual time, which varies. */
const earliestShare = 0.7;
/** A generation that takes far less than usual is noticed within this time. */
const earlyPollSecondsMax = 30;
/** How late a poll may notice the end, as a share of the usual time. */
const usualShare = 1 / 15;
/** The same as a share of the age, or of the time beyond the usual one. */
const ageShare = 1 / 5;

/** The last poll before the deadline leaves this long to fetch a finished video. */
const lastPollSeconds = 5;
const delaySecondsMin = 0.05;

/**
 * Moves a poll that would come too late to shortly before the deadline, and the one after it to the
 * deadline itself: a video that was finished in time is delivered.
 */
export function delayWithinDeadline(seconds: number, secondsLeft: number): number {
  const untilLastPoll = secondsLeft - lastPollSeconds;
  const delayMax = untilLastPoll > 0 ? untilLastPoll : secondsLeft;
  return Math.max(delaySecondsMin, Math.min(seconds, delayMax));
}

/**
 * A provider may ask for a delay. Otherwise polls are few until shortly before the usual end, then
 * close together, and further apart the longer the generation takes. Where the usual time is not
 * known, they begin close together. A provider callback brings the next poll forward.
 */
export function nextPollDelaySeconds(timing: PollTiming): number {
  const { pollAfterSeconds, isUnread } = timing.status;
  // Each of the polls that wait for their turn has got another time.
  if (isUnread && pollAfterSeconds !== undefined) return pollAfterSeconds;
  return (pollAfterSeconds ?? delayByAge(timing)) * (1 + timing.random * jitterRatio);
}

/** How long a generation took that a poll at this age found finished: it ended since the last. */
export const tookSeconds = (timing: Pick<PollTiming, 'ageSeconds' | 'usualSeconds'>): number =>
  Math.max(0, timing.ageSeconds - delayByAge(timing) / 2);

function delayByAge({
  ageSeconds,
  usualSeconds,
}: Pick<PollTiming, 'ageSeconds' | 'usualSeconds'>): number {
  const untilEarliest = (usualSeconds ?? 0) * earliestShare - ageSeconds;
  if (untilEarliest > pollSecondsMin) return Math.min(untilEarliest, earlyPollSecondsMax);
  const beyondUsual = ageSeconds - (usualSeconds ?? 0);
  const seconds = Math.max((usualSeconds ?? 0) * usualShare, beyondUsual * ageShare);
  return Math.min(Math.max(seconds, pollSecondsMin), pollSecondsMax);
}
