/** A fingerprint of everything the database holds, to show that a request changed nothing. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../../server/database/database.ts';

/** Counters that a rejected request may change, and heartbeats. */
const volatileTables = new Set([
  ...['create_windows', 'status_rounds', 'sign_in_troubles'],
  ...['processes', 'task_counts', 'delivery_counts'],
]);
const volatileColumns = ['last_used_at', 'last_seen_at'];
/** Rows that a job deletes after minutes are left out: the state of a running service. */
const lastingRows: Readonly<Record<string, string>> = {
  connected_providers: 'removed_at is null',
  provider_credentials: `t.created_at = (select max(newest.created_at)
    from provider_credentials newest join connected_providers p on p.name = newest.provider
    where newest.provider = t.provider and p.removed_at is null)`,
};

/** By table. */
export type DatabaseState = Readonly<Record<string, string>>;

export async function readState(db: Queryable): Promise<DatabaseState> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const state: Record<string, string> = {};
  for (const { name } of tables.filter(({ name }) => !volatileTables.has(name))) {
    const { rows } = await db.query<{ row: string }>(
      `select (to_jsonb(t) - $1::text[])::text as row from ${name} t
       where ${lastingRows[name] ?? true} order by 1`,
      [volatileColumns],
    );
    state[name] = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  }
  return state;
}

/** The names of the tables that differ. */
export const changedTables = (before: DatabaseState, after: DatabaseState): string[] =>
  Object.keys(after).filter((name) => before[name] !== after[name]);
