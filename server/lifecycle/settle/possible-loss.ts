/**
 * What a provider may bill and no customer pays, for admins. A task may end while its provider
 * continues: the provider is asked to cancel, and the customer is refunded in any case. Or a video
 * is longer than what was priced.
 */

import type { Provider } from '../../providers/provider.ts';
import type { Job } from '../../queue/job.ts';
import type { Attempt } from '../../tasks/attempts.ts';
import { findOpenAttempt } from '../../tasks/find-attempts.ts';
import { type Task, taskRef } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';
import { attemptCost } from './attempt-cost.ts';

type CancelResult = Awaited<ReturnType<Provider['cancel']>>;

const notAnswered = 'submit not answered';

/** Returns the provider's result; null if the provider is not configured or has no operation. */
export async function cancelAtProvider(
  { providers }: LifecycleContext,
  attempt: Attempt | null,
): Promise<CancelResult | null> {
  const provider = attempt && providers.get(attempt.provider, attempt.credential);
  if (!provider || !attempt.operation) return null;
  return await provider.cancel(attempt.operation).catch(() => 'unknown' as const);
}

/** Returns undefined if the provider has no generation of this attempt or has stopped it. */
export function possibleLoss(
  attempt: Attempt | null,
  { cancelResult, ended }: { readonly cancelResult: CancelResult | null; readonly ended: string },
): string | undefined {
  if (!attempt || cancelResult === 'stopped') return undefined;
  const { operation, startUncertain } = attempt;
  if (operation === null && !startUncertain) return undefined;
  const reason = cancelResult ?? (operation === null ? notAnswered : 'not told to stop');
  return `${ended} while the provider may go on (${reason})`;
}

/** Whether the task ended before its operation was known, so that nothing has canceled it yet. */
export const endedUncertain = ({ loss }: Attempt): boolean =>
  loss?.endsWith(`(${notAnswered})`) ?? false;

/** Providers round up to whole frames, some to whole seconds. */
const roundedSecondsMax = 1;

/** Returns undefined unless the video is longer than what was priced; it is delivered as it is. */
export function unpricedLength(
  { generation, pricedSeconds }: Pick<Task, 'generation' | 'pricedSeconds'>,
  seconds: number | undefined,
): string | undefined {
  const priced = pricedSeconds ?? generation.duration;
  const isLonger = seconds !== undefined && seconds > priced + roundedSecondsMax;
  if (priced <= 0 || !isLonger) return undefined;
  return `the video is ${seconds.toFixed(1)} s long; ${priced} s were priced`;
}

/** Ends a task whose deadline has passed: asks the provider to cancel, then refunds the task. */
export async function timeOut(
  lifecycle: LifecycleContext,
  { task, job }: { task: Task; job: Job },
): Promise<void> {
  const attempt = await findOpenAttempt(lifecycle.db, task.id);
  const cancelResult = await cancelAtProvider(lifecycle, attempt);
  await lifecycle.settle({
    ...taskRef(task),
    end: 'failed',
    job,
    reason: 'timed_out',
    attempt: 'timed_out',
    loss: possibleLoss(attempt, { cancelResult, ended: 'timed out' }),
    cost: attemptCost(lifecycle, {
      task,
      attempt,
      outcome: 'timed_out',
      isStopped: cancelResult === 'stopped',
    }),
  });
}
