/** The deadline has come: the provider is told to stop, then the task fails and is refunded. */
import type { Job } from '../queue/job.ts';
import { findOpenAttempt } from '../tasks/attempts.ts';
import type { Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';
import { possibleLoss, tellToStop } from './possible-loss.ts';
import { ofTask, settleFailed } from './settle.ts';

export async function timeOut(
  lifecycle: Lifecycle,
  { task, job }: { task: Task; job: Job },
): Promise<void> {
  const attempt = await findOpenAttempt(lifecycle.db, task.id);
  const stopped = await tellToStop(lifecycle, attempt);
  await settleFailed(lifecycle, {
    ...ofTask(task),
    job,
    reason: 'timed_out',
    attempt: 'timed_out',
    loss: possibleLoss(attempt, { stopped, ended: 'timed out' }),
  });
}
