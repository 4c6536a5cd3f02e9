/**
 * The index of tasks by their metadata: one row per pair. Written with the task, and only if it has
 * pairs, so that other creates do no more work.
 */

import { createHash } from 'node:crypto';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import { keyModes } from '@vidgen/contract/models.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { Task } from './task.ts';

type TaskWithMetadata = Pick<Task, 'id' | 'accountId' | 'mode'> & {
  readonly metadata?: Metadata | null;
};

/** Call after the tasks are inserted. */
export async function insertMetadata(
  tx: Transaction,
  tasks: readonly TaskWithMetadata[],
): Promise<void> {
  const rows = metadataRows(tasks);
  if (rows.length === 0) return;
  await tx.query(
    `insert into task_metadata (account_id, mode, pair, task_id)
     select "accountId", mode, decode(pair, 'hex'), id
     from jsonb_to_recordset($1::jsonb) as m("accountId" uuid, mode text, pair text, id text)`,
    [JSON.stringify(rows)],
  );
}

export async function deleteMetadata(
  tx: Transaction,
  tasks: readonly TaskWithMetadata[],
): Promise<void> {
  const rows = metadataRows(tasks);
  if (rows.length === 0) return;
  await tx.query(
    `delete from task_metadata t
     using jsonb_to_recordset($1::jsonb) as m("accountId" uuid, mode text, pair text, id text)
     where t.account_id = m."accountId" and t.mode = m.mode and t.pair = decode(m.pair, 'hex')
       and t.task_id = m.id`,
    [JSON.stringify(rows)],
  );
}

const metadataRows = (tasks: readonly TaskWithMetadata[]) =>
  tasks.flatMap(({ id, accountId, mode, metadata }) =>
    pairDigests(metadata ?? {}).map((pair) => ({ id, accountId, mode, pair })),
  );

/** In hexadecimal, one per pair. A key contains no NUL, so no two pairs are digested alike. */
const pairDigests = (metadata: Metadata): string[] =>
  Object.entries(metadata).map(([key, value]) =>
    createHash('sha256').update(`${key}\0${value}`).digest('hex').slice(0, 32),
  );

/** Counting more would not help: a page is read in as many rows. */
const countedRowsMax = 1000;

/**
 * Returns the digest of the pair that the fewest tasks of the account have. Counts in the order of
 * the index: otherwise PostgreSQL may read the whole table to find the rows of a rare pair.
 */
export async function findRarestPair(
  db: Queryable,
  { accountId, metadata }: { readonly accountId: string; readonly metadata: Metadata },
): Promise<string> {
  const pairs = pairDigests(metadata);
  if (pairs.length === 1) return pairs[0]!;
  const { rows } = await db.query<{ pair: string }>(
    `select pair from unnest($2::text[], $3::text[]) as w(pair, m)
     cross join lateral (
       select count(*) as tasks from (
         select from task_metadata t
         where t.account_id = $1 and t.mode = w.m and t.pair = decode(w.pair, 'hex')
         order by t.task_id limit ${countedRowsMax}) counted) c
     group by pair order by sum(tasks) limit 1`,
    [accountId, keyModes.flatMap(() => pairs), keyModes.flatMap((mode) => pairs.map(() => mode))],
  );
  return rows[0]!.pair;
}

/** Whether any task has metadata, of one account or of all. */
export async function hasMetadata(db: Queryable, accountId: string | undefined): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from task_metadata where $1::uuid is null or account_id = $1 limit 1',
    [accountId ?? null],
  );
  return rowCount > 0;
}
