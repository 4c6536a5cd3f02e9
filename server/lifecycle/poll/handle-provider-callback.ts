/**
 * Polls a task sooner when its provider calls back. The content of a callback is not trusted, with
 * one exception: the operation, when the response to the start was lost. Duplicate, late and forged
 * callbacks have no effect.
 */
import type { CallbackRequest, CallbackResult } from '../../providers/provider.ts';
import { runNow } from '../../queue/enqueue.ts';
import { recordOperation } from '../../tasks/attempts.ts';
import { findAttemptByOperation, findAttemptByReference } from '../../tasks/find-attempts.ts';
import type { LifecycleContext } from '../context.ts';

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
  const fields = { taskId, provider: attempt.provider };
  if (reading.outcome === 'invalid_signature') {
    log.warn({ ...fields, detail: reading.detail }, 'provider callback with invalid signature');
    return;
  }
  const { operation } = reading;
  if (attempt.startUncertain && operation !== undefined) {
    await db.transaction((tx) => recordOperation(tx, { taskId, number, operation }));
    log.info({ ...fields, operation }, 'operation id received by callback');
  }
  await runNow(db, taskId);
}

/**
 * Handles a callback to the one URL that a provider has for all its tasks. That URL contains no
 * secret reference, so only providers that sign callbacks are accepted, and only the operation is
 * used.
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
    const { detail } = reading;
    log.warn({ provider: name, detail }, 'provider callback with invalid signature');
    return;
  }
  const { operation } = reading;
  if (operation === undefined) return;
  const attempt = await findAttemptByOperation(db, { provider: name, operation });
  if (attempt) await runNow(db, attempt.taskId);
}
