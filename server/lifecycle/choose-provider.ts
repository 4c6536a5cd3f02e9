/**
 * Who is asked to make a task: the first provider of its route that has not been asked, can make
 * it, and is well. One that is busy or ill is passed over; only when all that are left are such
 * does the task wait. When all were asked, those that had no place then are asked again.
 */
import { findAccount } from '../accounts/account.ts';
import type { Provider } from '../providers/provider.ts';
import { type Attempt, countOpenAttempts } from '../tasks/attempts.ts';
import type { Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';

export type Choice = {
  /** Null when everyone has refused it, or nobody serves it any more. */
  readonly provider: Provider | null;
  /** How long to wait before looking again; null when there is somebody, or nobody, to ask. */
  readonly waitSeconds: number | null;
};

const busyWaitSeconds = 1;

export async function chooseProvider(
  lifecycle: Lifecycle,
  task: Task,
  attempts: readonly Attempt[],
  { mayRepeat }: { readonly mayRepeat: boolean },
): Promise<Choice> {
  const { db, providers } = lifecycle;
  const account = await findAccount(db, task.accountId);
  const { mode, id: taskId } = task;
  const route = providers.routeFor(task.model, { mode, taskId, demo: account?.demo ?? false });
  const able = route.filter((provider) => (provider.cannot?.(task.generation) ?? null) === null);
  const triesOf = ({ name }: Provider) => attempts.filter(({ provider }) => provider === name);
  const untried = able.filter((provider) => triesOf(provider).length === 0);
  const busyThen = able.filter((provider) =>
    triesOf(provider).every(({ outcome }) => outcome === 'throttled'),
  );
  const left = untried.length > 0 || !mayRepeat ? untried : busyThen;
  const busy = await busyOf(lifecycle, left);
  const free = left.find(({ name }) => !busy.has(name) && providers.admits(name));
  if (free) return { provider: free, waitSeconds: null };
  return { provider: null, waitSeconds: left.length > 0 ? busyWaitSeconds : null };
}

/** Those at their limit. Only a first look: the place itself is taken in the transaction. */
async function busyOf(
  { db, providers }: Lifecycle,
  candidates: readonly Provider[],
): Promise<Set<string>> {
  const limited = candidates.filter(({ name }) => providers.limitsOf(name).concurrency);
  if (limited.length === 0) return new Set();
  const open = new Map(
    (await countOpenAttempts(db)).map(({ provider, attempts }) => [provider, attempts]),
  );
  const isFull = ({ name }: Provider) =>
    (open.get(name) ?? 0) >= (providers.limitsOf(name).concurrency ?? Number.POSITIVE_INFINITY);
  return new Set(limited.filter(isFull).map(({ name }) => name));
}
