/**
 * A column that refers to a text ID has the collation of the ID. Otherwise a join compares with the
 * collation of the ID and cannot use an index of the column, so that its cost grows with the table.
 */
import type { Queryable } from '../server/database/database.ts';

/** Changing these would rebuild indexes over all entries; joins write `collate "default"`. */
const exempt: readonly string[] = ['ledger_entries.task_id'];

/**
 * Returns columns as `table.column`. A column refers to an ID by a foreign key, or by having the
 * name of a column with a foreign key.
 */
export async function listCollationProblems(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string; problem: string }>(
    `with referring as (
       select attname as name, confrelid, target_number
       from pg_constraint
         cross join lateral unnest(conkey, confkey) as pairs (number, target_number)
         join pg_attribute on attrelid = conrelid and attnum = number
       where contype = 'f'
     ), targets as (
       select distinct name, attcollation as expected,
         format('%s.%s', confrelid::regclass, attname) as target
       from referring join pg_attribute on attrelid = confrelid and attnum = target_number
       where attcollation <> 0
     )
     select format('%s.%s', attrelid::regclass, attname) as name,
       format('%s.%s has another collation than %s', attrelid::regclass, attname, target) as problem
     from targets join pg_attribute on attname = targets.name and not attisdropped
       join pg_class on pg_class.oid = attrelid
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
       and attcollation not in (0, expected)
     order by 1`,
  );
  return rows.flatMap(({ name, problem }) => (exempt.includes(name) ? [] : [problem]));
}
