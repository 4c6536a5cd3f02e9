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
  clearStopAsked,
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
export const stopSecondsMax = 60;

/** `record` is written in the commit that ends the task, if that is ours. */
export async function cancel(
  lifecycle: Lifecycle,
  task: Task,
  { record }: { record?: (tx: Transaction) => Promise<void> } = {},
): Promise<Task> {
  const { db } = lifecycle;
  let stop: Stop | null = null;
  for (let waits = 0; ; waits++) {
    const current = (await findTask(db, task.id)) ?? task;
    if (isFinal(current)) {
      const isOurs = stop === 'stopped' || stop === 'goes on';
      if (!isOurs || current.failedReason !== 'cancelled') throw alreadyFinal(current);
      // It took so long that a look ended it for us.
      if (record) await db.transaction(record);
      return current;
    }
    if (stop === 'goes on') throw cannotStop();
    const attempt = await findOpenAttempt(db, task.id);
    if (attempt?.operation) stop = await stopAtProvider(lifecycle, attempt, attempt.operation);
    const mayEnd = attempt?.operation ? stop === 'stopped' : !attempt?.unanswered;
    if (mayEnd) {
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
    if (stop === 'goes on') continue;
    if (waits === waitsMax) throw stop === 'begun by another' ? beingCancelled() : cannotStop();
    await sleep(waitMs);
  }
}

type Stop = 'stopped' | 'goes on' | 'begun by another';

async function stopAtProvider(
  { db, providers }: Lifecycle,
  attempt: Attempt,
  operation: string,
): Promise<Stop> {
  const provider = providers.get(attempt.provider, attempt.credential);
  // First: a look that finds it stopped would take our doing for the provider's failure.
  const isOurs = await markStopAsked(db, { ...attempt, secondsMax: stopSecondsMax });
  if (!isOurs) return 'begun by another';
  const answer = await provider?.cancel(operation).catch(() => 'unknown');
  if (answer === 'stopped') return 'stopped';
  await clearStopAsked(db, attempt);
  await hurry(db, attempt.taskId);
  return 'goes on';
}

const isSame = (before: Attempt | null, now: Attempt | null): boolean =>
  before?.number === now?.number &&
  before?.operation === now?.operation &&
  before?.unanswered === now?.unanswered;

const beingCancelled = (): Refusal =>
  new Refusal('invalid_request', 'The task is being cancelled: ask for it again in a moment.');

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
