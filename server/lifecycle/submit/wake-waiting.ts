/**
 * Wakes submits that wait for a provider, as many as there is room for. Every worker does; a job
 * that finds the room taken waits again, and keeps its place in the order.
 */
import { randomUUID } from 'node:crypto';
import { modelNames } from '@vidgen/contract/models.ts';
import { listWaitedFor, wake, wakeAll } from '../../queue/waiting.ts';
import type { LifecycleContext } from '../context.ts';
import { findRoom, parsePlace } from './provider-capacity.ts';

/** Woken at once for the same places, where they have no limit. */
const wokenMax = 250;

/** The returned function is to be called several times per second. */
export function createWaker(lifecycle: LifecycleContext): () => Promise<void> {
  const { db, providers, waitedFor } = lifecycle;
  /** The account that was woken last, for each set of places. */
  let lastAccountIds = new Map<string, string>();
  let routes = '';
  let rounds = 0;
  return async () => {
    const currentRoutes = JSON.stringify(modelNames.map((model) => providers.routeNames(model)));
    // Tasks that wait may now go elsewhere.
    if (currentRoutes !== routes) await wakeAll(db);
    routes = currentRoutes;
    const sets = await listWaitedFor(db);
    const names = [...new Set(sets.flat())];
    waitedFor.replace(names);
    if (sets.length === 0) return;
    const found = await findRoom(lifecycle, names.map(parsePlace));
    const room = new Map(names.map((name, at) => [name, found[at]!]));
    const reached = new Map<string, string>();
    // Sets that share a place take turns to be the first.
    const first = rounds++ % sets.length;
    for (const places of [...sets.slice(first), ...sets.slice(0, first)]) {
      const key = places.join();
      const afterAccountId = lastAccountIds.get(key) ?? randomUUID();
      reached.set(key, afterAccountId);
      const free = places.reduce((sum, place) => sum + room.get(place)!, 0);
      if (free === 0) continue;
      const jobsMax = Math.min(free, wokenMax);
      const { woken, lastAccountId } = await wake(db, { places, jobsMax, afterAccountId });
      takeRoom(room, places, woken);
      reached.set(key, lastAccountId);
    }
    lastAccountIds = reached;
  };
}

/** The same room is not given to those who also wait for other places. */
function takeRoom(room: Map<string, number>, places: readonly string[], taken: number): void {
  let left = taken;
  for (const place of places) {
    const used = Math.min(left, room.get(place)!);
    room.set(place, room.get(place)! - used);
    left -= used;
  }
}
