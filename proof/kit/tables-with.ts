/** Finds text in every table, to prove that something was forgotten. */
import type { Database } from '../../server/database/database.ts';

/** The tables that have a row which contains the text, in alphabetical order. */
export async function tablesWith(db: Database, text: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const sql = `select from ${name} t where strpos(t::text, $1) > 0 limit 1`;
    if ((await db.query(sql, [text])).rowCount > 0) found.push(name);
  }
  return found;
}
