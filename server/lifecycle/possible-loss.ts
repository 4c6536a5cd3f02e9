/**
 * A task ends while its provider may go on: it is told to stop, and what it does not confirm is
 * shown to operators as a loss that is possible. The customer has the credits back regardless.
 */
import type { Provider } from '../providers/provider.ts';
import { type Attempt, recordLoss } from '../tasks/attempts.ts';
import type { Lifecycle } from './context.ts';

type Stopped = Awaited<ReturnType<Provider['cancel']>>;

/** What the provider says to it; null where there is nobody or nothing to tell. */
export async function tellToStop(
  { providers }: Lifecycle,
  attempt: Attempt | null,
): Promise<Stopped | null> {
  const provider = attempt && providers.get(attempt.provider, attempt.credential);
  if (!provider || !attempt.operation) return null;
  return await provider.cancel(attempt.operation).catch(() => 'unknown' as const);
}

export async function notePossibleLoss(
  { db, log }: Lifecycle,
  { attempt, stopped, ended }: { attempt: Attempt; stopped: Stopped | null; ended: string },
): Promise<void> {
  if (!attempt.unanswered && (stopped === null || stopped === 'stopped')) return;
  const { taskId, number, provider } = attempt;
  const loss = `${ended} while the provider may go on (${stopped ?? 'submit not answered'})`;
  await recordLoss(db, { taskId, number, loss });
  log.warn({ taskId, provider, loss }, 'possible loss');
}
