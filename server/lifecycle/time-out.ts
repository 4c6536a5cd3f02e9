/** The deadline has come: the provider is told to stop, then the task fails and is refunded. */
import type { Job } from '../queue/job.ts';
import { findOpenAttempt, recordLoss } from '../tasks/attempts.ts';
import type { Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';
import { ofTask, settleFailed } from './settle.ts';

export async function timeOut(
  lifecycle: Lifecycle,
  { task, job }: { task: Task; job: Job },
): Promise<void> {
  const { db, log, providers } = lifecycle;
  const attempt = await findOpenAttempt(db, task.id);
  const provider = attempt && providers.get(attempt.provider, attempt.credential);
  const stopped =
    provider && attempt?.operation
      ? await provider.cancel(attempt.operation).catch(() => 'unknown' as const)
      : null;
  const failed = await settleFailed(lifecycle, {
    ...ofTask(task),
    job,
    reason: 'timed_out',
    attempt: 'timed_out',
  });
  // What was not stopped may still be billed to us; the customer has the credits back regardless.
  if (failed && attempt && (attempt.unanswered || (stopped !== null && stopped !== 'stopped'))) {
    const loss = `timed out while the provider may go on (${stopped ?? 'submit not answered'})`;
    await recordLoss(db, { taskId: task.id, number: attempt.number, loss });
    log.warn({ taskId: task.id, provider: attempt.provider, loss }, 'possible loss');
  }
}
