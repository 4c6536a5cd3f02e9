/**
 * A provider calls: the task is looked at sooner. What the call says about the task is not
 * believed, with one exception: the name of the operation, when the answer to the submit was lost
 * and nobody else can tell it. Duplicates, late and forged calls change nothing.
 */
import type { CallbackReading, CallbackRequest } from '../providers/provider.ts';
import { hurry } from '../queue/queue.ts';
import { findAttemptByReference, recordOperation } from '../tasks/attempts.ts';
import type { Lifecycle } from './context.ts';

const hint: CallbackReading = { outcome: 'hint' };

export async function heedCallback(
  lifecycle: Lifecycle,
  request: CallbackRequest & { readonly provider: string },
): Promise<void> {
  const { db, log, providers } = lifecycle;
  const attempt = await findAttemptByReference(db, request.reference);
  if (attempt?.outcome !== null || attempt.provider !== request.provider) return;
  const provider = providers.get(attempt.provider, attempt.credential);
  const reading = (await provider?.readCallback?.(request)) ?? hint;
  const { taskId, number } = attempt;
  if (reading.outcome === 'forged') {
    log.warn({ taskId, provider: attempt.provider, detail: reading.detail }, 'forged callback');
    return;
  }
  const { operation } = reading;
  if (attempt.unanswered && operation !== undefined) {
    await db.transaction((tx) => recordOperation(tx, { taskId, number, operation }));
    log.info({ taskId, provider: attempt.provider, operation }, 'operation told by a callback');
  }
  await hurry(db, taskId);
}
