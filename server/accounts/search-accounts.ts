/**
 * The list of all accounts: searched, filtered and sorted by the database, each page from an index.
 * What it is sorted by and belongs to other modules is copied to `account_activity`, some seconds
 * late.
 */
import type { Queryable, Transaction } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import {
  type SortColumn,
  type SortedRequest,
  sortColumnOf,
  sortedPage,
  sortList,
} from '../database/sorted-list.ts';
import { type Account, accountColumns } from './account.ts';
import { uuidPattern, uuidRange } from './uuid.ts';

/** `open` is active or suspended. */
type AccountState = 'open' | 'active' | 'suspended' | 'closed';

export type AccountFilter = SortedRequest & {
  /** Words of the name, the ID or its beginning, or the name or email of a member. */
  readonly search?: string | undefined;
  readonly status?: AccountState | undefined;
  /** Counts live credits. */
  readonly availableMax?: number | undefined;
  readonly hasTasks?: boolean | undefined;
};

/** `lastTaskId` is null without a task. */
export type ListedAccount = Account & { readonly lastTaskId: string | null };

/** Repeats the expressions of the indexes. */
const sortColumns: Readonly<Record<string, SortColumn>> = {
  created: { sql: 'a.created_at', kind: 'time' },
  name: { sql: 'left(lower(a.name), 64) collate "C"', kind: 'text' },
  balance: { sql: 's.available', kind: 'integer' },
  last_task: { sql: 's.last_task_id', kind: 'text' },
};

/** `offset 0` makes PostgreSQL look up one account after the other instead of reading all. */
const foundSql = `(
    select id from accounts where search_words(name) @@ search_query($3)
    union select id from accounts where id between $4::uuid and $5::uuid
    union select m.account_id from memberships m join people p on p.id = m.person_id
      where search_words(p.name || ' ' || p.email) @@ search_query($3)) found
  cross join lateral (select * from accounts where id = found.id offset 0) a
  left join lateral (
    select * from account_activity where account_id = found.id offset 0) s on true`;
/** An account of an older release has no activity yet. */
const byActivitySql = 'account_activity s join accounts a on a.id = s.account_id';
const byAccountSql = 'accounts a left join account_activity s on s.account_id = a.id';

/** Constant text: PostgreSQL then uses the partial indexes of suspended and closed accounts. */
const statusSql: Readonly<Record<AccountState, string>> = {
  open: 'and a.closed_at is null',
  active: 'and a.closed_at is null and a.suspended_at is null',
  suspended: 'and a.closed_at is null and a.suspended_at is not null',
  closed: 'and a.closed_at is not null',
};

const hasTasksSql = (hasTasks: boolean | undefined): string => {
  if (hasTasks === undefined) return '';
  return hasTasks ? `and s.last_task_id > ''` : `and coalesce(s.last_task_id, '') = ''`;
};

export async function listAccounts(
  db: Queryable,
  filter: AccountFilter,
): Promise<Page<ListedAccount>> {
  const column = sortColumns[sortColumnOf(filter)]!;
  const isByActivity = column.sql.startsWith('s.');
  const isSearch = filter.search !== undefined;
  const idSql = isByActivity && !isSearch ? 's.account_id' : 'a.id';
  const list = sortList(filter, column, {
    sql: idSql,
    type: 'uuid',
    pattern: uuidPattern,
  });
  const fromSql = isSearch ? foundSql : isByActivity ? byActivitySql : byAccountSql;
  const range = uuidRange(filter.search ?? '');
  const { rows } = await db.query<ListedAccount & { sortKey: string }>(
    `select ${accountColumns.replace(/^id/, 'a.id')},
       nullif(s.last_task_id, '') as "lastTaskId", ${list.keySql}
     from ${fromSql}
     where ${list.conditionSql} ${isSearch ? '' : 'and coalesce($3::text, $4, $5) is null'}
       ${filter.status ? statusSql[filter.status] : ''}
       and ($6::bigint is null or s.available <= $6)
       ${hasTasksSql(filter.hasTasks)}
     order by ${list.orderSql} limit $7`,
    [
      ...list.values,
      filter.search ?? null,
      ...(range ?? [null, null]),
      filter.availableMax ?? null,
      filter.limit + 1,
    ],
  );
  return sortedPage(rows, filter.limit);
}

const positionKey = 'account_activity_position';

/**
 * The ledger entry up to which activity was copied, locked until the commit; null if another
 * process is copying.
 */
export async function lockActivityPosition(tx: Transaction): Promise<number | null> {
  await tx.query(`insert into settings (key, value) values ($1, '0') on conflict do nothing`, [
    positionKey,
  ]);
  const { rows } = await tx.query<{ value: string }>(
    'select value from settings where key = $1 for update skip locked',
    [positionKey],
  );
  return rows[0] ? Number(rows[0].value) : null;
}

export type AccountActivity = {
  readonly accountId: string;
  readonly available: number;
  readonly lastTaskId: string;
};

/** Also adds accounts that an older release has created meanwhile. */
export async function recordActivity(
  tx: Transaction,
  {
    activities,
    position,
  }: { readonly activities: readonly AccountActivity[]; readonly position: number },
): Promise<void> {
  await tx.query(
    `with changed as materialized (
       select * from jsonb_to_recordset($1::jsonb)
         as one("accountId" uuid, available bigint, "lastTaskId" text))
     insert into account_activity as s (account_id, available, last_task_id)
     select "accountId", available, "lastTaskId" from changed
     union all
     select id, 0, '' from accounts
     where created_at > now() - interval '1 day'
       and not exists (select from account_activity where account_id = accounts.id)
       and not exists (select from changed where "accountId" = accounts.id)
     on conflict (account_id) do update
       set available = excluded.available, last_task_id = excluded.last_task_id
       where (s.available, s.last_task_id) is distinct from
         (excluded.available, excluded.last_task_id)`,
    [JSON.stringify(activities)],
  );
  await tx.query('update settings set value = $2 where key = $1', [positionKey, String(position)]);
}
