/** Lists of tasks by ID, each page from an index, however many tasks there are. */

import assert from 'node:assert/strict';
import { promptPreviewCharacters } from '@vidgen/contract/admin-tasks.ts';
import type { Metadata } from '@vidgen/contract/metadata.ts';
import { type KeyMode, keyModes, type ModelName } from '@vidgen/contract/models.ts';
import { continuesKey, continuesOf, shotsBefore, storyShotsMax } from '@vidgen/contract/story.ts';
import {
  type BillingStatus,
  type FailedReason,
  failedReasons,
  type TaskStatus,
} from '@vidgen/contract/task-status.ts';
import type { PreparedStatement, Queryable } from '../database/database.ts';
import { findRarestPair } from './metadata.ts';
import { findTasks, taskColumns } from './store.ts';
import type { Task } from './task.ts';
import { idsSince, idsUntil } from './task-id.ts';

export type TaskFilter = {
  readonly accountId?: string | undefined;
  readonly mode?: KeyMode | undefined;
  readonly status?: TaskStatus | undefined;
  readonly billingStatus?: BillingStatus | undefined;
  /** Only failed refunds that no admin has resolved yet. */
  readonly refundPending?: boolean;
  readonly failedReason?: FailedReason | undefined;
  readonly model?: ModelName | undefined;
  readonly keyId?: string | undefined;
  /** Only tasks with all of these pairs; needs `accountId`. */
  readonly metadata?: Metadata | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Returns tasks before this ID in the order: the cursor. IDs sort by creation. */
  readonly beforeId?: string | undefined;
  /** Returns no tasks after this ID in the order: the end of a window. */
  readonly untilId?: string | undefined;
  /** Not together with `metadata`. */
  readonly isOldestFirst?: boolean;
  readonly limit: number;
};

/** Repeat the predicates of the indexes `tasks_refund_failures` and `tasks_unfinished`. */
const refundPendingSql = `and billing_status = 'refund_failed' and refund_outcome is null`;
const unfinishedSql = 'and finished_at is null';

/** Newest first, unless the filter says otherwise. Times are in Unix seconds. */
export async function listTasks(db: Queryable, filter: TaskFilter): Promise<Task[]> {
  const { status, billingStatus, createdAfter, createdBefore } = filter;
  if (isPlain(filter)) return await listAll(db, filter);
  const parts = partsOf(filter);
  const metadataValues = await metadataValuesOf(db, filter);
  const { rows } = await db.query<Task>(parts ? listPartsSql(filter, parts) : listSql(filter), [
    filter.accountId ?? null,
    (filter.metadata ? null : filter.mode) ?? null,
    // A reason implies it; PostgreSQL would expect a tenth of the rows and sort them.
    (parts?.column === 'failed_reason' && status === 'failed' ? null : status) ?? null,
    billingStatus ?? null,
    filter.model ?? null,
    createdAfter ?? null,
    createdBefore ?? null,
    filter.beforeId ?? null,
    filter.limit,
    filter.keyId ?? null,
    ...idRange(filter),
    ...metadataValues,
    ...(parts?.values ?? []),
  ]);
  return rows;
}

/** Whether the list has all tasks of an account in a mode: the one that is read most. */
function isPlain({ accountId, mode, beforeId: _, limit: _l, ...others }: TaskFilter): boolean {
  if (accountId === undefined || mode === undefined) return false;
  return Object.values(others).every((value) => value === undefined || value === false);
}

/** Whether an index has no other tasks than unfinished ones, or failed refunds. */
const hasFew = ({ status, billingStatus, refundPending }: TaskFilter): boolean =>
  isUnfinished({ status, billingStatus }) || billingStatus === 'refund_failed' || !!refundPending;

const isUnfinished = ({ status, billingStatus }: Pick<TaskFilter, 'status' | 'billingStatus'>) =>
  billingStatus === 'reserved' || status === 'queued' || status === 'generating';

/** The first ID, and the one after the last. */
function idRange({ createdAfter, createdBefore, untilId, isOldestFirst }: TaskFilter) {
  const since = createdAfter === undefined ? null : idsSince(new Date(createdAfter * 1000));
  const end = createdBefore === undefined ? null : idsUntil(new Date(createdBefore * 1000));
  if (untilId === undefined) return [since, end];
  return isOldestFirst ? [since, `${untilId}~`] : [untilId, end];
}

/**
 * Returns the ID that ends a window of the list: to look for the tasks until it, at most `limit`
 * rows of each part of the index are read. Undefined if the rest of the list is that short.
 */
export async function findWindowEnd(
  db: Queryable,
  filter: TaskFilter,
): Promise<string | undefined> {
  const { accountId, metadata, isOldestFirst, limit } = filter;
  if (isPlain(filter) || hasFew(filter)) return;
  const parts = partsOf(filter);
  const id = metadata ? 'task_id' : 'id';
  const { beyond, order } = orderOf(filter);
  const [since, end] = idRange(filter);
  const pair = accountId && metadata ? await findRarestPair(db, { accountId, metadata }) : null;
  // Only what the index is sorted by; anything else would be looked for in more rows.
  const endSql = ({ column, part }: PartPlace) =>
    `select ${id} as id from ${metadata ? 'task_metadata' : 'tasks'}
     where ($1::uuid is null or account_id = $1) and ($2::text is null or ${id} ${beyond} $2)
       and ($3::text is null or ${id} >= $3) and ($4::text is null or ${id} < $4)
       and ${metadata ? `pair = decode($6, 'hex')` : '$6::text is null'}
       ${column === null ? '' : `and ${column} = ${part}`}
     order by ${id} ${order} offset $5 - 1 limit 1`;
  const { rows: ends } = await db.query<{ id: string | null }>(
    `select ${isOldestFirst ? 'min' : 'max'}(id) as id from (
       ${parts ? unionParts(parts, 7, endSql) : endSql(noPart)}) ends`,
    [accountId ?? null, filter.beforeId ?? null, since, end, limit, pair, ...(parts?.values ?? [])],
  );
  return ends[0]?.id ?? undefined;
}

/** Prepared, as planning takes longer than reading a page. */
async function listAll(db: Queryable, filter: TaskFilter): Promise<Task[]> {
  const { accountId, mode, beforeId = idAfterAll, limit } = filter;
  return (await db.query<Task>(listAllStatement, [accountId, mode, beforeId, limit])).rows;
}

const idAfterAll = 'task_~';
const listAllStatement: PreparedStatement = {
  name: 'list_tasks',
  text: `select ${taskColumns} from tasks where account_id = $1 and mode = $2 and id < $3
         order by id desc limit $4`,
};

/** `part` is the place of the value of a part. */
const listSql = (filter: TaskFilter, { column, part }: PartPlace = noPart): string => {
  const { refundPending, metadata } = filter;
  const { beyond, order } = orderOf(filter);
  const isOfIds = column !== null && (metadata !== undefined || !hasFew(filter));
  return `select ${taskColumns} from ${isOfIds ? tasksOfPartSql(filter, { column, part }) : 'tasks'}
     where ${isOfIds ? 'true' : '($1::uuid is null or account_id = $1)'}
       and ($2::text is null or mode = $2) and ($3::text is null or status = $3)
       and ($4::text is null or billing_status = $4) and ($5::text is null or model = $5)
       and ($6::float8 is null or created_at >= to_timestamp($6))
       and ($7::float8 is null or created_at < to_timestamp($7))
       and ($8::text is null or id ${beyond} $8) and ($10::text is null or key_id = $10)
       and ($11::text is null or id >= $11) and ($12::text is null or id < $12)
       ${isUnfinished(filter) ? unfinishedSql : ''} ${refundPending ? refundPendingSql : ''}
       ${metadata ? metadataSql : column === null || isOfIds ? '' : `and ${column} = ${part}`}
     order by ${isOfIds ? 'task_id' : 'id'} ${order} limit $9`;
};

/** For the cursor and the order of a statement. */
export const orderOf = ({ isOldestFirst }: Pick<TaskFilter, 'isOldestFirst'>) =>
  isOldestFirst
    ? ({ beyond: '>', order: 'asc' } as const)
    : ({ beyond: '<', order: 'desc' } as const);

/**
 * The IDs of a part in the order of its index, which alone is read for them. `offset 0` makes
 * PostgreSQL look up one task after the other: a plain join may read and sort all tasks first, and
 * a plain list may read the tasks of all others, where it takes the part to be common.
 */
function tasksOfPartSql(filter: TaskFilter, { column, part }: PartPlace): string {
  const { beyond } = orderOf(filter);
  const id = filter.metadata ? 'task_id' : 'id';
  const table = filter.metadata ? 'task_metadata' : 'tasks';
  return `(select ${id} as task_id from ${table}
       where ($1::uuid is null or account_id = $1) and ${column} = ${part}
         ${filter.metadata ? `and pair = decode($13::text, 'hex')` : ''}
         and ($8::text is null or ${id} ${beyond} $8)
         and ($11::text is null or ${id} >= $11) and ($12::text is null or ${id} < $12)) m
     cross join lateral (select * from tasks where id = m.task_id offset 0) t`;
}

/**
 * `coalesce` hides the comparison from the planner, which would expect one row in a thousand to
 * match, and read and sort every row of a common pair.
 */
const metadataSql = `and coalesce(metadata @> $14::jsonb, false)
       and ($15::text is null or failed_reason = $15)`;

async function metadataValuesOf(
  db: Queryable,
  { accountId, metadata, failedReason }: TaskFilter,
): Promise<readonly unknown[]> {
  if (!metadata) return [];
  assert(accountId, 'the index of pairs is by account');
  const pair = await findRarestPair(db, { accountId, metadata });
  return [pair, JSON.stringify(metadata), failedReason ?? null];
}

type Parts = { readonly column: string; readonly values: readonly string[] };

/**
 * The parts of an index that hold the tasks, each sorted by ID: those of failed tasks are sorted by
 * reason first, those of an account and of a pair by mode. Null without an index of its own.
 */
function partsOf(filter: TaskFilter): Parts | null {
  const { accountId, mode, status, billingStatus, failedReason, metadata } = filter;
  if (metadata) return { column: 'mode', values: mode ? [mode] : keyModes };
  if (status === 'failed' || billingStatus === 'refunded' || failedReason) {
    return { column: 'failed_reason', values: failedReason ? [failedReason] : failedReasons };
  }
  return accountId ? { column: 'mode', values: mode ? [mode] : keyModes } : null;
}

type PartPlace = { readonly column: string | null; readonly part: string };
const noPart: PartPlace = { column: null, part: '' };

/** Reads a page of each part, and returns the first of them all. */
const listPartsSql = (filter: TaskFilter, parts: Parts): string =>
  `select page.* from (${unionParts(parts, filter.metadata ? 16 : 13, (part) =>
    listSql(filter, part),
  )}) page
   order by page.id ${orderOf(filter).order} limit $9`;

/**
 * One statement with a parameter for each part. Of the values of another table PostgreSQL does not
 * know how common they are: it would read all tasks to find a reason that none has.
 */
const unionParts = (
  { column, values }: Parts,
  firstPlace: number,
  sqlOf: (part: PartPlace) => string,
): string =>
  values.map((_, at) => `(${sqlOf({ column, part: `$${firstPlace + at}` })})`).join(' union all ');

/** Returns IDs by account, each from the index `tasks_by_account`. */
export async function findLastTaskIds(
  db: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ accountId: string; id: string }>(
    `select account_id as "accountId", max(newest.id) as id
     from unnest($1::uuid[]) as a (account_id) cross join unnest($2::text[]) as m (mode)
       cross join lateral (
         select id from tasks t where t.account_id = a.account_id and t.mode = m.mode
         order by id desc limit 1) newest
     group by 1`,
    [accountIds, keyModes],
  );
  return new Map(rows.map(({ accountId, id }) => [accountId, id]));
}

/** `task` is null if it was erased, or belongs to another account or mode. */
type Shot = { readonly id: string; readonly task: Task | null };

/** Of several continuations of a shot, more than this many failed ones hide the others. */
const continuationsRead = 20;

/**
 * Returns the shots in order. Of several continuations of a shot, the newest that has not failed
 * belongs to the story.
 */
export async function findStory(db: Queryable, task: Task): Promise<readonly Shot[]> {
  const { accountId, mode } = task;
  const before = shotsBefore(task.metadata);
  const found = before.length === 0 ? [] : await findTasks(db, before);
  const isOwn = (one: Task | null) => one?.accountId === accountId && one.mode === mode;
  const shots: Shot[] = [
    ...before.map((id, at) => ({ id, task: isOwn(found[at]!) ? found[at]! : null })),
    { id: task.id, task },
  ];
  while (shots.length < storyShotsMax) {
    const metadata = { [continuesKey]: continuesOf(shots.map(({ id }) => id)) };
    const filter = { accountId, mode, metadata, limit: continuationsRead };
    const next = (await listTasks(db, filter)).find(({ status }) => status !== 'failed');
    if (!next || shots.some(({ id }) => id === next.id)) break;
    shots.push({ id: next.id, task: next });
  }
  return shots;
}

/** By task; tasks that are deleted or whose prompt is deleted are missing. */
export async function findPrompts(
  db: Queryable,
  taskIds: readonly string[],
): Promise<Map<string, string>> {
  if (taskIds.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; prompt: string }>(
    `select id, left(generation->>'prompt', $2) as prompt from tasks
     where id = any($1::text[]) and generation->>'prompt' <> ''`,
    [taskIds, promptPreviewCharacters],
  );
  return new Map(rows.map(({ id, prompt }) => [id, prompt]));
}
