/**
 * Ends a task before its time. Free only where nobody bills us for it: while it is queued, or when
 * its provider confirms that it stopped.
 */
import { sleep } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { Provider } from '../providers/provider.ts';
import { hurry } from '../queue/queue.ts';
import { Refusal } from '../refusal.ts';
import {
  type Attempt,
  findOpenAttempt,
  listAttempts,
  markStopAsked,
  recordLoss,
  recordOperation,
} from '../tasks/attempts.ts';
import { findTask } from '../tasks/rows.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';
import { ofTask, settleFailed } from './settle.ts';

/** A submit is on its way for seconds at the most; a cancel that meets one waits for its answer. */
const waitsMax = 20;
const waitMs = 150;
/** More than it takes to stop something at a provider: who began that longer ago has died. */
export const stopSecondsMax = 10;

/** `record` is written in the commit that ends the task. */
export async function cancel(
  lifecycle: Lifecycle,
  task: Task,
  { record }: { record?: (tx: Transaction) => Promise<void> } = {},
): Promise<Task> {
  const { db } = lifecycle;
  for (let waits = 0; ; waits++) {
    const current = (await findTask(db, task.id)) ?? task;
    if (isFinal(current)) throw alreadyFinal(current);
    const attempt = await findOpenAttempt(db, task.id);
    if (attempt?.operation) await stop(lifecycle, attempt, attempt.operation);
    if (!attempt?.unanswered) {
      const failed = await settleFailed(lifecycle, {
        ...ofTask(task),
        reason: 'cancelled',
        attempt: 'cancelled',
        // A submit that began meanwhile has a provider to be stopped at first.
        stillSo: async (tx) => isSame(attempt, await findOpenAttempt(tx, task.id)),
        record,
      });
      if (failed) return failed;
    }
    if (waits === waitsMax) throw cannotStop();
    await sleep(waitMs);
  }
}

async function stop(
  { db, providers }: Lifecycle,
  attempt: Attempt,
  operation: string,
): Promise<void> {
  const provider = providers.get(attempt.provider, attempt.credential);
  // First: a look that finds it stopped would take our doing for the provider's failure.
  await markStopAsked(db, { ...attempt, asked: true });
  const answer = await provider?.cancel(operation).catch(() => 'unknown');
  if (answer === 'stopped') return;
  await markStopAsked(db, { ...attempt, asked: false });
  await hurry(db, attempt.taskId);
  throw cannotStop();
}

const isSame = (before: Attempt | null, now: Attempt | null): boolean =>
  before?.number === now?.number && before?.operation === now?.operation;

const cannotStop = (): Refusal =>
  new Refusal(
    'invalid_request',
    'The task is already generating at a provider that cannot stop it: wait until it has ' +
      'completed or failed.',
  );

const alreadyFinal = ({ id, status }: Task): Refusal =>
  new Refusal(
    'invalid_request',
    `The task ${id} is already ${status}: only one in progress can be cancelled.`,
  );

/** An operation whose task no longer waits for it: it is told to stop, and shown if it does not. */
export async function abandonOperation(
  { db, log }: Lifecycle,
  {
    taskId,
    number,
    provider,
    operation,
  }: { taskId: string; number: number; provider: Provider; operation: string },
): Promise<void> {
  const isNews = await db.transaction((tx) => recordOperation(tx, { taskId, number, operation }));
  const task = await findTask(db, taskId);
  if (!task || !isFinal(task)) return; // Another worker goes on with the same reference.
  const attempts = await listAttempts(db, taskId);
  const known = attempts.find((attempt) => attempt.number === number)?.operation;
  if (!isNews && known === operation) return; // Whoever ended the task knew of it.
  const answer = await provider.cancel(operation).catch(() => 'unknown');
  if (answer === 'stopped') return;
  const loss = `accepted by ${provider.name} after the task had ended (${answer})`;
  await recordLoss(db, { taskId, number, loss });
  log.warn({ taskId, provider: provider.name, loss }, 'loss');
}
