/** Which accounts have new ledger entries, for copies of their balances. */
import type { Queryable } from '../database/database.ts';

export type ChangedAccounts = {
  readonly accountIds: readonly string[];
  /** Everything up to this entry has been returned. */
  readonly position: number;
  readonly hasMore: boolean;
};

const entriesMax = 20_000;

/**
 * Accounts with entries after a position. The newest entries are returned again the next time: one
 * with a lower ID may be committed later, though not later than a minute.
 */
export async function findChangedAccounts(
  db: Queryable,
  { position }: { readonly position: number },
): Promise<ChangedAccounts> {
  const { rows } = await db.query<{
    accountIds: string[] | null;
    settled: number | null;
    entries: number;
  }>(
    `with entries as materialized (
       select id, account_id, created_at from ledger_entries where id > $1
       order by id limit ${entriesMax})
     select (select array_agg(distinct account_id) from entries) as "accountIds",
       (select count(*)::int from entries) as entries,
       (select max(id) from entries where created_at < now() - interval '1 minute') as settled`,
    [position],
  );
  const { accountIds, settled, entries } = rows[0]!;
  return {
    accountIds: accountIds ?? [],
    position: settled ?? position,
    hasMore: entries === entriesMax && settled !== null,
  };
}
