/**
 * Who is asked to make a task: the first provider of its route that has not been asked, can make
 * it, and is well. One that is busy or ill is passed over; only when all that are left are such
 * does the task wait. When all were asked, those that had no place then are asked again.
 */
import { findAccount } from '../accounts/account.ts';
import type { Provider } from '../providers/provider.ts';
import { type Attempt, countOpenAttempts } from '../tasks/attempts.ts';
import type { Task } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';

export type ProviderChoice = {
  /** Null when everyone has refused it, or nobody serves it any more. */
  readonly provider: Provider | null;
  /** How long to wait before looking again; null when there is somebody, or nobody, to ask. */
  readonly waitSeconds: number | null;
};

const capacityRetrySeconds = 1;

export async function chooseProvider(
  lifecycle: LifecycleContext,
  task: Task,
  attempts: readonly Attempt[],
  { allowRetry }: { readonly allowRetry: boolean },
): Promise<ProviderChoice> {
  const { db, providers } = lifecycle;
  const account = await findAccount(db, task.accountId);
  const { mode, id: taskId } = task;
  const route = providers.routeFor(task.model, { mode, taskId, demo: account?.demo ?? false });
  const capable = route.filter(
    (provider) => (provider.unsupportedReason?.(task.generation) ?? null) === null,
  );
  const attemptsAt = ({ name }: Provider) => attempts.filter(({ provider }) => provider === name);
  const untried = capable.filter((provider) => attemptsAt(provider).length === 0);
  const previouslyThrottled = capable.filter((provider) =>
    attemptsAt(provider).every(({ outcome }) => outcome === 'throttled'),
  );
  const candidates = untried.length > 0 || !allowRetry ? untried : previouslyThrottled;
  const saturated = await findSaturated(lifecycle, candidates);
  const available = candidates.find(
    ({ name }) => !saturated.has(name) && providers.acceptsTasks(name),
  );
  if (available) return { provider: available, waitSeconds: null };
  return { provider: null, waitSeconds: candidates.length > 0 ? capacityRetrySeconds : null };
}

/** Those at their limit. Only a first look: the place itself is taken in the transaction. */
async function findSaturated(
  { db, providers }: LifecycleContext,
  candidates: readonly Provider[],
): Promise<Set<string>> {
  const limited = candidates.filter(({ name }) => providers.limitsOf(name).concurrency);
  if (limited.length === 0) return new Set();
  const open = new Map(
    (await countOpenAttempts(db)).map(({ provider, attempts }) => [provider, attempts]),
  );
  const isSaturated = ({ name }: Provider) =>
    (open.get(name) ?? 0) >= (providers.limitsOf(name).concurrency ?? Number.POSITIVE_INFINITY);
  return new Set(limited.filter(isSaturated).map(({ name }) => name));
}
