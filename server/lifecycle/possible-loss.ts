/**
 * A task ends while its provider may go on: it is told to stop, and what it does not confirm is
 * shown to operators as a loss that is possible. The customer has the credits back regardless.
 */
import type { Provider } from '../providers/provider.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { LifecycleContext } from './context.ts';

type CancelResult = Awaited<ReturnType<Provider['cancel']>>;

/** What the provider says to it; null where there is nobody or nothing to tell. */
export async function cancelAtProvider(
  { providers }: LifecycleContext,
  attempt: Attempt | null,
): Promise<CancelResult | null> {
  const provider = attempt && providers.get(attempt.provider, attempt.credential);
  if (!provider || !attempt.operation) return null;
  return await provider.cancel(attempt.operation).catch(() => 'unknown' as const);
}

/** Undefined where the provider has nothing of ours, or has stopped it. */
export function possibleLoss(
  attempt: Attempt | null,
  { cancelResult, ended }: { readonly cancelResult: CancelResult | null; readonly ended: string },
): string | undefined {
  if (!attempt || cancelResult === 'stopped') return undefined;
  const { operation, unanswered } = attempt;
  if (operation === null && !unanswered) return undefined;
  const reason = cancelResult ?? (operation === null ? 'submit not answered' : 'not told to stop');
  return `${ended} while the provider may go on (${reason})`;
}
