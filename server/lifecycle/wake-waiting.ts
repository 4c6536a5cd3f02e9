/**
 * Wakes submits that wait for a provider, as many as there is room for. Every worker does; a job
 * that finds the room taken waits again, and keeps its place.
 */
import { modelNames } from '@vidgen/contract/models.ts';
import { firstAccountId } from '../queue/claim.ts';
import { listWaitedFor, wake, wakeAll } from '../queue/waiting.ts';
import type { LifecycleContext } from './context.ts';
import { findRoom } from './provider-room.ts';

/** Woken at once for the same providers, where they have no limit. */
const wokenMax = 250;

/** The returned function is to be called several times per second. */
export function createWaker(lifecycle: LifecycleContext): () => Promise<void> {
  const { db, providers } = lifecycle;
  let lastAccountIds = new Map<string, string>();
  let routes = '';
  return async () => {
    const currentRoutes = JSON.stringify(modelNames.map((model) => providers.routeNames(model)));
    // Tasks that wait may now go elsewhere.
    if (currentRoutes !== routes) await wakeAll(db);
    routes = currentRoutes;
    const waitedFor = await listWaitedFor(db);
    if (waitedFor.length === 0) return;
    const room = new Map(await findRoom(lifecycle, [...new Set(waitedFor.flat())]));
    const reached = new Map<string, string>();
    for (const names of waitedFor) {
      const key = names.join();
      const afterAccountId = lastAccountIds.get(key) ?? firstAccountId;
      const jobsMax = Math.min(
        wokenMax,
        names.reduce((sum, name) => sum + room.get(name)!, 0),
      );
      if (jobsMax === 0) continue;
      const { woken, lastAccountId } = await wake(db, {
        providers: names,
        jobsMax,
        afterAccountId,
      });
      takeRoom(room, names, woken);
      reached.set(key, lastAccountId);
    }
    lastAccountIds = reached;
  };
}

/** The same room is not given to those who wait for other providers as well. */
function takeRoom(room: Map<string, number>, names: readonly string[], taken: number): void {
  let left = taken;
  for (const name of names) {
    const used = Math.min(left, room.get(name)!);
    room.set(name, room.get(name)! - used);
    left -= used;
  }
}
