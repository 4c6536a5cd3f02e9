/**
 * Handles tasks that end while their provider may continue: the provider is asked to cancel, and
 * without its confirmation admins see a possible loss. The customer is refunded in any case.
 */
import type { Provider } from '../providers/provider.ts';
import type { Attempt } from '../tasks/attempts.ts';
import type { LifecycleContext } from './context.ts';

type CancelResult = Awaited<ReturnType<Provider['cancel']>>;

const notAnswered = 'submit not answered';

/** Returns the provider's result; null if the provider is not configured or has no operation. */
export async function cancelAtProvider(
  { providers }: LifecycleContext,
  attempt: Attempt | null,
): Promise<CancelResult | null> {
  const provider = attempt && providers.get(attempt.provider, attempt.credential);
  if (!provider || !attempt.operation) return null;
  return await provider.cancel(attempt.operation).catch(() => 'unknown' as const);
}

/** Returns undefined if the provider has no generation of this attempt or has stopped it. */
export function possibleLoss(
  attempt: Attempt | null,
  { cancelResult, ended }: { readonly cancelResult: CancelResult | null; readonly ended: string },
): string | undefined {
  if (!attempt || cancelResult === 'stopped') return undefined;
  const { operation, unanswered } = attempt;
  if (operation === null && !unanswered) return undefined;
  const reason = cancelResult ?? (operation === null ? notAnswered : 'not told to stop');
  return `${ended} while the provider may go on (${reason})`;
}

/** Whether the task ended before its operation was known, so that nothing has canceled it yet. */
export const endedUnanswered = ({ loss }: Attempt): boolean =>
  loss?.endsWith(`(${notAnswered})`) ?? false;
