/**
 * Ends a task whose deadline has passed: asks the provider to cancel, then fails and refunds it.
 */
import type { Job } from '../queue/job.ts';
import { findOpenAttempt } from '../tasks/find-attempts.ts';
import { type Task, taskRef } from '../tasks/task.ts';
import { cancelAtProvider, possibleLoss } from './checks/possible-loss.ts';
import type { LifecycleContext } from './context.ts';

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
  });
}
