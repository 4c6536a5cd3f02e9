/**
 * Takes every lock of a migration before its first statement, so that no deadlock with a running
 * process can fail a request: a statement that waits behind a migration for longer than
 * `deadlock_timeout` is canceled by the server if the migration also waits for its transaction.
 */
import type { Transaction } from './database.ts';

/** The longest time that statements of other processes wait behind a migration. */
export const lockMs = 2_000;
/** For a lock that was not foreseen, while all others are held. */
const unforeseenMs = 100;
/** The part of `deadlock_timeout` after which no lock is waited for while another is held. */
const deadlockShare = 0.7;

type TableLock = { readonly table: string; readonly mode: string };

/** Statements that lock tables against writes; others may take long, and need no table lock. */
const locking = /\b(alter|drop|references|trigger)\b/i;

/**
 * Returns the statement that takes the locks of `sql`, to be run before it in the same transaction;
 * empty if there are none. It fails with 55P03 if a lock is not granted in time: try again.
 */
export async function lockStatements(tx: Transaction, sql: string): Promise<string> {
  const locks = locking.test(sql) ? await findLocks(tx, sql) : [];
  return locks.length > 0 ? lockScript(locks) : '';
}

/**
 * Finds the existing tables that `sql` names, by themselves or by one of their constraints; the
 * table that a foreign key references is locked when the key is dropped.
 *
 * In another order with each try: of two orders, only one may wait for a transaction that waits
 * for this one.
 */
async function findLocks(tx: Transaction, sql: string): Promise<TableLock[]> {
  const lines = sql.split('\n').map((line) => line.split('--', 1)[0]!);
  const statements = lines.join('\n');
  const altered = [...statements.matchAll(/\b(?:alter|drop)\s+table\s+(?:if\s+exists\s+)?(\w+)/gi)];
  const named = arrayOf(statements.match(/\w+/g) ?? []);
  // Without parameters: their portal would keep its snapshot, which an index build waits for.
  const { rows } = await tx.query<TableLock>(
    `with constrained as (
       select unnest(array[conrelid, confrelid]) as id from pg_constraint
       where conname = any(${named}) and connamespace = current_schema()::regnamespace)
     select relname as table, case
         when relname = any(${arrayOf(altered.map(([, table]) => table!))})
           or oid in (select id from constrained)
         then 'access exclusive' else 'share row exclusive' end as mode
     from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r'
       and (relname = any(${named}) or oid in (select id from constrained))
     order by random()`,
  );
  return rows;
}

/** Words only, so nothing needs to be escaped. */
const arrayOf = (words: readonly string[]): string => `'{${[...new Set(words)].join()}}'::text[]`;

/**
 * Waits for the first lock, while nothing is held. Statements of others may wait since then, so
 * the other locks must be granted before the server checks those statements for a deadlock. One
 * script, because the time between two statements of a client has no limit.
 */
const lockScript = (locks: readonly TableLock[]): string => `do $$
declare
  began timestamptz := clock_timestamp();
  ends timestamptz := began + ${deadlockShare} * (select setting::int from pg_settings
    where name = 'deadlock_timeout') * interval '1 ms';
  left_ms int;
begin
  ${locks.map(lockOne).join('\n  ')}
  perform set_config('lock_timeout', '${unforeseenMs}', true);
end $$;\n`;

function lockOne({ table, mode }: TableLock, at: number): string {
  const lock = `lock table ${table} in ${mode} mode`;
  if (at === 0) return `perform set_config('lock_timeout', '${lockMs}', true); ${lock};`;
  return `left_ms := extract(epoch from ends - clock_timestamp()) * 1000;
  if left_ms < 1 then ${lock} nowait; else
    perform set_config('lock_timeout', left_ms::text, true); ${lock};
  end if;`;
}
