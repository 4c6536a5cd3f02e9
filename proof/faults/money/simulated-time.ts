/**
 * A database with a clock that a test controls: the unqualified `now()` of statements and column
 * defaults resolves to a function in a schema before `pg_catalog`. The database is emptied between
 * simulations.
 */
import type { Database } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../kit/scratch-database.ts';

/** Also rejects refunds that a simulation has made impossible. */
const simulation = `
  create schema simulated;
  create table simulated.clock (moment timestamptz not null);
  insert into simulated.clock values ('2030-01-01T00:00:00Z');
  create function simulated.now() returns timestamptz language sql stable
    as 'select moment from simulated.clock';
  do $$ declare one record; begin
    for one in select table_name, column_name from information_schema.columns
      where table_schema = 'public' and column_default = 'now()'
    loop
      execute format('alter table %I alter column %I set default simulated.now()',
        one.table_name, one.column_name);
    end loop;
  end $$;
  create table simulated.impossible_refunds (task_id text primary key);
  create function simulated.refuse_refund() returns trigger language plpgsql as $$
  begin
    if exists (select from simulated.impossible_refunds where task_id = new.task_id) then
      raise exception 'a refund that cannot be booked' using errcode = 'VG999';
    end if;
    return new;
  end $$;
  create trigger refuse_refund before insert on ledger_entries for each row
    when (new.kind = 'refund') execute function simulated.refuse_refund()`;

const schemas = 'simulated,pg_catalog,public';

/** One connection, so that parallel reads keep their order and a schedule can be repeated. */
export async function openSimulatedDatabase(): Promise<ScratchDatabase> {
  const scratch = await openScratchDatabase();
  await scratch.db.query(simulation);
  const url = new URL(scratch.url);
  url.searchParams.set('options', `-c search_path=${schemas}`);
  const db = await openPostgres(url.href, { connectionsMax: 1 });
  return {
    db,
    url: url.href,
    async close() {
      await db.close();
      await scratch.close();
    },
  };
}

/** Deletes all rows past the triggers that reject it; `thoroughly` truncates, which is slower. */
export async function empty(
  db: Database,
  { thoroughly }: { readonly thoroughly: boolean },
): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename not in ('migrations', 'settings')`,
  );
  const names = rows.map(({ name }) => name);
  const deletions = names.map((name) => `delete from ${name}`).join('; ');
  await db.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`);
    await tx.query(thoroughly ? `truncate ${names.join(', ')}` : deletions);
    await tx.query('delete from simulated.impossible_refunds');
    await tx.query(`update simulated.clock set moment = '2030-01-01T00:00:00Z'`);
  });
}

export async function passTime(db: Database, seconds: number): Promise<void> {
  await db.query(
    'update simulated.clock set moment = moment + $1::float8 * make_interval(secs => 1)',
    [seconds],
  );
}

export async function makeRefundImpossible(db: Database, taskId: string): Promise<void> {
  await db.query(
    'insert into simulated.impossible_refunds values ($1) on conflict (task_id) do nothing',
    [taskId],
  );
}
