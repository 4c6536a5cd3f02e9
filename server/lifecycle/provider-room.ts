/** How many more tasks a provider may get now: its health and its concurrency limit decide. */
import { countOpenAttempts } from '../tasks/find-attempts.ts';
import type { LifecycleContext } from './context.ts';

/** Without a limit it is infinite. The intent's transaction checks the limit again. */
export async function findRoom(
  { db, providers }: Pick<LifecycleContext, 'db' | 'providers'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const healthy = names.filter((name) => providers.admits(name) > 0);
  const limited = healthy.filter((name) => providers.limitsOf(name).concurrency);
  const open = new Map(
    (limited.length > 0 ? await countOpenAttempts(db, limited) : []).map(
      ({ provider, attempts }) => [provider, attempts],
    ),
  );
  const roomOf = (name: string): number => {
    const { concurrency = Number.POSITIVE_INFINITY } = providers.limitsOf(name);
    return Math.max(0, Math.min(providers.admits(name), concurrency - (open.get(name) ?? 0)));
  };
  return new Map(names.map((name) => [name, roomOf(name)]));
}
