/**
 * What the processes on one database announce about themselves. Configuration is read at the start
 * of each process, and what is connected in the dashboard a moment after the change, so they can
 * know different providers.
 */

import type { ModelName } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import type { Log } from '../telemetry/log.ts';

export type ProcessAnnouncement = {
  readonly id: string;
  readonly role: 'all' | 'api' | 'worker';
  /** Providers it can call, each with its credential; see `providerKey`. */
  readonly providers: readonly string[];
  /** The names of the providers that it would start a live task of the model at. */
  readonly routes: Partial<Record<ModelName, readonly string[]>>;
  /** The mark of the storage it reads results from and writes them to. */
  readonly storageId: string;
  /** What it knows of the health of its providers. */
  readonly health: readonly AnnouncedHealth[];
};

/** Stored and returned as it is. */
type AnnouncedHealth = { readonly provider: string };

export const heartbeatMs = 10_000;
/** A process that has not been seen for this long has stopped, and no longer uses its storage. */
const liveSeconds = 60;
/** Longer than a restart takes on a busy machine: until then its tasks wait for it. */
const providerSeconds = 180;
/** A process that missed two heartbeats may have stopped. */
const healthSeconds = 25;
/** Rows of processes that have not been seen for this long are deleted. */
const keptSeconds = 86_400;

/** A task is continued with the credential it was started with. */
export const providerKey = (name: string, credential: string | null): string =>
  credential === null ? name : `${name} ${credential}`;

const isSeenWithin = (seconds: number): string =>
  `seen_at > now() - make_interval(secs => ${seconds})`;

/** Called at the start, every `heartbeatMs`, and when what it can do has changed. */
export async function announceProcess(
  db: Queryable,
  { id, role, providers, routes, storageId, health }: ProcessAnnouncement,
): Promise<void> {
  await db.query(
    `insert into processes (id, role, providers, routes, storage_id, health)
     values ($1, $2, $3::text[], $4::jsonb, $5, $6::jsonb)
     on conflict (id) do update set seen_at = now(), providers = excluded.providers,
       routes = excluded.routes, health = excluded.health`,
    [id, role, providers, JSON.stringify(routes), storageId, JSON.stringify(health)],
  );
  await db.query(
    `delete from processes where seen_at < now() - make_interval(secs => ${keptSeconds})`,
  );
}

/** Called by a process that knows that no other uses the database: all others have stopped. */
export async function forgetProcesses(db: Queryable): Promise<void> {
  await db.query('delete from processes');
}

/**
 * Called when the process stops. What it could do is still announced for some minutes: it may be
 * restarting.
 */
export async function releaseStorage(db: Queryable, id: string): Promise<void> {
  await db.query('update processes set storage_id = null where id = $1', [id]);
}

/** Returns whether a live process works on tasks; null if no process of any role is live. */
export async function hasLiveWorker(db: Queryable): Promise<boolean | null> {
  const { rows } = await db.query<{ found: boolean | null }>(
    `select bool_or(role <> 'api') as found from processes where ${isSeenWithin(liveSeconds)}`,
  );
  return rows[0]!.found;
}

/** Returns whether a live worker can call the provider; `key` is from `providerKey`. */
export async function isProviderLive(db: Queryable, key: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from processes
     where ${isSeenWithin(providerSeconds)} and role <> 'api' and $1 = any(providers) limit 1`,
    [key],
  );
  return rowCount > 0;
}

/** Returns the names of all providers at which live workers start tasks of the model. */
export async function findLiveRoutes(db: Queryable, model: ModelName): Promise<Set<string>> {
  const { rows } = await db.query<{ names: readonly string[] }>(
    `select routes -> $1 as names from processes
     where ${isSeenWithin(providerSeconds)} and role <> 'api' and routes ? $1`,
    [model],
  );
  return new Set(rows.flatMap(({ names }) => names));
}

/** What other processes have announced in the last heartbeats, and how many seconds ago. */
export async function listAnnouncedHealth<Health extends AnnouncedHealth>(
  db: Queryable,
  { exceptId }: { readonly exceptId: string },
): Promise<{ readonly health: readonly Health[]; readonly ageSeconds: number }[]> {
  const { rows } = await db.query<{ health: readonly Health[]; ageSeconds: number }>(
    `select health, extract(epoch from now() - seen_at)::float8 as "ageSeconds" from processes
     where ${isSeenWithin(healthSeconds)} and id <> $1`,
    [exceptId],
  );
  return rows;
}

/** Returns whether a live process uses another storage. */
export async function isOtherStorageLive(db: Queryable, storageId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from processes where ${isSeenWithin(liveSeconds)} and storage_id <> $1 limit 1`,
    [storageId],
  );
  return rowCount > 0;
}

/**
 * Returns a check for every heartbeat of a process that is no worker itself: it logs when no worker
 * is left on the database, and when one is back.
 */
export function createWorkerWatch(
  db: Queryable,
  log: Pick<Log, 'info' | 'warn'>,
): () => Promise<void> {
  let hadWorker = true;
  return async () => {
    const hasWorker = (await hasLiveWorker(db)) === true;
    if (hadWorker && !hasWorker) log.warn('no worker is running, tasks wait for one');
    if (!hadWorker && hasWorker) log.info('a worker is running again');
    hadWorker = hasWorker;
  };
}
