/** The credit history: ledger entries, newest first, each with the balance after it. */

import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import type { NewEntry } from './ledger.ts';

export type Entry = NewEntry & {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  readonly createdAt: Date;
};

const columns = `id, account_id as "accountId", mode, number, kind, source, target, amount,
  jsonb_build_object('available', available_after, 'reserved', reserved_after,
    'spent', spent_after, 'suspended', suspended_after) as after,
  task_id as "taskId", note, reference, created_at as "createdAt"`;

export type EntryFilter = {
  readonly accountId: string;
  readonly mode?: KeyMode | undefined;
  readonly kind?: string | undefined;
  readonly taskId?: string | undefined;
  /** Returns only the latest entry of each task. */
  readonly latestOnly?: boolean | undefined;
  /** Returns entries before this ID: the cursor. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
};

export async function listEntries(db: Queryable, filter: EntryFilter): Promise<Entry[]> {
  const { mode } = filter;
  const from = filter.taskId === undefined ? 'ledger_entries' : `(${ofTaskSql('$7')})`;
  // Indexes are sorted by mode first: a page of each, and the newest of them all.
  const { rows } = await db.query<Entry>(
    `select page.* from unnest($2::text[]) as modes (one) cross join lateral (
       select ${columns} from ${from} entry
       where account_id = $1 and mode = one and ($3::text is null or kind = $3)
         and ($4::bigint is null or id < $4) and (not $6::boolean or ${isLatestSql})
       order by id desc limit $5) page
     order by page.id desc limit $5`,
    [
      filter.accountId,
      mode ? [mode] : keyModes,
      filter.kind ?? null,
      filter.beforeId ?? null,
      filter.limit,
      filter.latestOnly ?? false,
      ...(filter.taskId === undefined ? [] : [filter.taskId]),
    ],
  );
  return rows;
}

/** Of the entries of its task. Others of the task are looked up by the partial unique indexes. */
const isLatestSql = `case kind
  when 'reserve' then not exists (select from ledger_entries later
    where later.task_id = entry.task_id and later.kind in ('charge', 'refund', 'suspend'))
  when 'suspend' then not exists (select from ledger_entries later
    where later.task_id = entry.task_id and later.kind = 'release')
  else true end`;

/**
 * The entries of a task. One query per kind, to match the partial unique indexes: entries of the
 * account's other tasks are not read.
 */
const ofTaskSql = (taskId: string): string =>
  `select * from ledger_entries where task_id = ${taskId} and kind = 'reserve'
   union all
   select * from ledger_entries
   where task_id = ${taskId} and kind in ('charge', 'refund', 'suspend')
   union all
   select * from ledger_entries where task_id = ${taskId} and kind = 'release'`;

/** Newest first. */
export async function listTaskEntries(db: Queryable, taskId: string): Promise<Entry[]> {
  const { rows } = await db.query<Entry>(
    `select ${columns} from (${ofTaskSql('$1')}) of_task order by id desc`,
    [taskId],
  );
  return rows;
}

/** Returns the grant or deduction booked with this reference; a reference is booked once. */
export async function findGrant(
  db: Queryable,
  { accountId, mode, reference }: { accountId: string; mode: KeyMode; reference: string },
): Promise<Entry | null> {
  const { rows } = await db.query<Entry>(
    `select ${columns} from ledger_entries
     where account_id = $1 and mode = $2 and reference = $3`,
    [accountId, mode, reference],
  );
  return rows[0] ?? null;
}

export async function getEntry(
  db: Queryable,
  { accountId, mode, number }: { accountId: string; mode: KeyMode; number: number },
): Promise<Entry> {
  const { rows } = await db.query<Entry>(
    `select ${columns} from ledger_entries where account_id = $1 and mode = $2 and number = $3`,
    [accountId, mode, number],
  );
  if (!rows[0]) throw new Error(`entry ${number} of ${accountId} is missing`);
  return rows[0];
}

/** What was available when tasks had reserved their credits. */
export async function findAvailableAfter(
  db: Queryable,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ id: string; available: number }>(
    `select task_id as id, available_after as available from ledger_entries
     where task_id = any($1::text[]) and kind = 'reserve'`,
    [taskIds],
  );
  return new Map(rows.map(({ id, available }) => [id, available]));
}
