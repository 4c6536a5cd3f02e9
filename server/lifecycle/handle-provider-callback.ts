/**
 * A provider calls: the task is looked at sooner. What the call says about the task is not
 * believed, with one exception: the name of the operation, when the answer to the submit was lost
 * and nobody else can tell it. Duplicates, late and forged calls change nothing.
 */
import type { CallbackRequest, CallbackResult } from '../providers/provider.ts';
import { runNow } from '../queue/enqueue.ts';
import {
  findAttemptByOperation,
  findAttemptByReference,
  recordOperation,
} from '../tasks/attempts.ts';
import type { LifecycleContext } from './context.ts';

const hint: CallbackResult = { outcome: 'hint' };

export async function handleProviderCallback(
  lifecycle: LifecycleContext,
  request: CallbackRequest & { readonly provider: string },
): Promise<void> {
  const { db, log, providers } = lifecycle;
  const attempt = await findAttemptByReference(db, request.reference);
  if (attempt?.outcome !== null || attempt.provider !== request.provider) return;
  const provider = providers.get(attempt.provider, attempt.credential);
  const reading = (await provider?.readCallback?.(request)) ?? hint;
  const { taskId, number } = attempt;
  if (reading.outcome === 'invalid_signature') {
    log.warn({ taskId, provider: attempt.provider, detail: reading.detail }, 'forged callback');
    return;
  }
  const { operation } = reading;
  if (attempt.unanswered && operation !== undefined) {
    await db.transaction((tx) => recordOperation(tx, { taskId, number, operation }));
    log.info({ taskId, provider: attempt.provider, operation }, 'operation told by a callback');
  }
  await runNow(db, taskId);
}

/**
 * A call to the one address that a provider has for all its tasks. Nobody had to know a reference,
 * so only a provider that checks signatures is heard here, and nothing but the operation is told.
 */
export async function handleSharedCallback(
  { db, log, providers }: LifecycleContext,
  {
    provider: name,
    ...request
  }: Omit<CallbackRequest, 'reference'> & { readonly provider: string },
): Promise<void> {
  const provider = providers.get(name);
  if (!provider?.sharesCallbackUrl || !provider.readCallback) return;
  const reading = await provider.readCallback({ ...request, reference: '' });
  if (reading.outcome === 'invalid_signature') {
    log.warn({ provider: name, detail: reading.detail }, 'forged callback');
    return;
  }
  const { operation } = reading;
  if (operation === undefined) return;
  const attempt = await findAttemptByOperation(db, { provider: name, operation });
  if (attempt) await runNow(db, attempt.taskId);
}
