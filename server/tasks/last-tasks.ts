/** The newest task of each account, in either mode. */
import { keyModes } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';

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
