/**
 * Decides what a `submit` job does next, without side effects. A provider is started again only if
 * that cannot be billed twice: its protection allows it, or it has proved that it has nothing.
 */
import type { FindResult, Provider, StartResult } from '../providers/provider.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { Task } from '../tasks/task.ts';

/** An attempt without outcome; `provider` is null if it is no longer configured. */
export type OpenAttempt = { readonly attempt: Attempt; readonly provider: Provider | null };

export type SubmitAction =
  /** The deadline has passed, or would pass before the provider is done. */
  | { readonly action: 'time-out' }
  /** The start never reached the provider, and the deadline has passed. */
  | { readonly action: 'time-out-unstarted'; readonly attempt: Attempt }
  | { readonly action: 'choose-provider' }
  | { readonly action: 'wait-for-capacity'; readonly providers: readonly string[] }
  | { readonly action: 'fail-no-provider' }
  /** A source is longer than what was paid for, or cannot be fetched any more. */
  | { readonly action: 'fail-source'; readonly detail: string }
  /** The provider was removed from the configuration and may have the task. */
  | { readonly action: 'abandon'; readonly attempt: Attempt }
  | ({ readonly action: 'start' } & Start)
  /** The attempt has created nothing: close it, and choose a provider again. */
  | { readonly action: 'submit-again'; readonly detail: string }
  /** Ask the provider whether it has the task. */
  | { readonly action: 'look-up'; readonly provider: Provider; readonly attempt: Attempt }
  | {
      readonly action: 'record-accepted';
      readonly provider: Provider;
      readonly attempt: Attempt;
      readonly operation: string;
    }
  /** Whether the provider has the task is unknown: check again later, never start. */
  | { readonly action: 'retry-later'; readonly error: string };

export type Start = {
  readonly provider: Provider;
  /** An attempt whose earlier start may have been accepted; null for a new one. */
  readonly attempt: Attempt | null;
};

type TaskFacts = Pick<Task, 'secondsLeft' | 'generation'>;

/** An attempt that may have created something is continued with its own provider. */
export function decideSubmit(task: TaskFacts, open: OpenAttempt | null): SubmitAction {
  if (task.secondsLeft <= 0) return decideAtDeadline(open);
  if (!open) return { action: 'choose-provider' };
  const { attempt, provider } = open;
  const { operation, startUncertain } = attempt;
  if (operation === null && !startUncertain) return submitAgain('the provider has created nothing');
  if (!provider) return { action: 'abandon', attempt };
  // A provider callback has reported the operation that the lost response carried.
  if (operation !== null) return { action: 'record-accepted', provider, attempt, operation };
  return decideUncertain(attempt, provider);
}

const submitAgain = (detail: string): SubmitAction => ({ action: 'submit-again', detail });

/**
 * A start whose response was lost may have led to a video by now, so it is looked for once more.
 * Its poll then delivers it or times out.
 */
function decideAtDeadline(open: OpenAttempt | null): SubmitAction {
  if (!open?.provider) return { action: 'time-out' };
  const { attempt, provider } = open;
  const { operation, startUncertain } = attempt;
  if (operation !== null) return { action: 'record-accepted', provider, attempt, operation };
  const canLookUp = startUncertain && provider.protection === 'look-up';
  return canLookUp ? { action: 'look-up', provider, attempt } : { action: 'time-out' };
}

/** The response to an earlier start was lost: the provider's protection decides. */
function decideUncertain(attempt: Attempt, provider: Provider): SubmitAction {
  switch (provider.protection) {
    case 'idempotency-key':
      return { action: 'start', provider, attempt };
    case 'look-up':
      return { action: 'look-up', provider, attempt };
    case 'none':
      return { action: 'retry-later', error: 'the response to the start was lost' };
  }
}

export type ProviderChoice =
  | { readonly choice: 'provider'; readonly provider: Provider }
  /** Every provider that may still take the task is busy or unhealthy. */
  | { readonly choice: 'wait'; readonly providers: readonly string[] }
  /** Every provider of the route has rejected the task, or none serves the model. */
  | { readonly choice: 'none' };

export function decideProvider(task: TaskFacts, choice: ProviderChoice): SubmitAction {
  switch (choice.choice) {
    case 'wait':
      return { action: 'wait-for-capacity', providers: choice.providers };
    case 'none':
      return { action: 'fail-no-provider' };
    case 'provider': {
      const { provider } = choice;
      if (isTooLate(task, provider)) return { action: 'time-out' };
      return { action: 'start', provider, attempt: null };
    }
  }
}

/** Only the proof that the provider never accepted the reference permits a new start. */
export function decideLookup(
  task: TaskFacts,
  { provider, attempt }: { readonly provider: Provider; readonly attempt: Attempt },
  found: FindResult,
): SubmitAction {
  switch (found.outcome) {
    case 'found':
      return { action: 'record-accepted', provider, attempt, operation: found.operation };
    case 'absent':
      return task.secondsLeft <= 0
        ? { action: 'time-out-unstarted', attempt }
        : submitAgain('the start did not arrive');
    case 'unknown':
      return task.secondsLeft <= 0
        ? { action: 'time-out' }
        : { action: 'retry-later', error: found.detail };
  }
}

/**
 * A provider that does not take the task now may have taken it before, when the response was lost.
 * No other provider may get the task then, so the result counts as unknown. So does a file that can
 * no longer be read: it says nothing about the first start.
 */
export function downgradeToUnknown(
  startResult: StartResult,
  { attempt }: Pick<Start, 'attempt'>,
): StartResult {
  const isNotAccepted =
    startResult.outcome === 'throttled' ||
    (startResult.outcome === 'rejected' &&
      (startResult.canFailOver || startResult.reason === 'material'));
  return attempt !== null && isNotAccepted
    ? { outcome: 'unknown', detail: startResult.detail }
    : startResult;
}

/** A provider that would not be done before the deadline is not paid for trying. */
const isTooLate = ({ secondsLeft, generation }: TaskFacts, provider: Provider): boolean =>
  secondsLeft <= 0 || provider.typicalSeconds(generation) > secondsLeft;
