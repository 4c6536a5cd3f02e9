/**
 * What PostgreSQL itself knows about the tables: sizes, and estimates of rows. Reads no row but the
 * oldest one of the tables that grow, each by its primary key.
 */
import type { Queryable } from './database.ts';

export type TableSize = {
  readonly name: string;
  /** With indexes. */
  readonly bytes: number;
  /** An estimate, as are the dead rows. */
  readonly rows: number;
  /** Deleted or replaced, and not vacuumed yet. */
  readonly deadRows: number;
  /** Of tables that grow with use; null for the others, and if there is none. */
  readonly oldestAt: Date | null;
};

/** Largest first. */
export async function listTableSizes(db: Queryable): Promise<TableSize[]> {
  const { rows } = await db.query<Omit<TableSize, 'oldestAt'> & { oldestAt: Date | null }>(
    `with oldest (name, at) as (
       select 'tasks', (select created_at from tasks order by id limit 1)
       union all select 'erased_tasks', (select created_at from erased_tasks order by id limit 1)
       union all select 'deliveries', (select created_at from deliveries order by id limit 1)
       union all
       select 'ledger_entries', (select created_at from ledger_entries order by id limit 1)
       union all select 'audit_log', (select at from audit_log order by id limit 1))
     select s.relname as name, pg_total_relation_size(s.relid) as bytes, s.n_live_tup as rows,
       s.n_dead_tup as "deadRows", o.at as "oldestAt"
     from pg_stat_user_tables s left join oldest o on o.name = s.relname
     where s.schemaname = current_schema() and pg_total_relation_size(s.relid) is not null
     order by 2 desc, 1`,
  );
  return rows;
}
