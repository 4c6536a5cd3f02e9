/**
 * The files that tasks refer to, for backups. Names columns of the first migrations only, since a
 * backup is made before an upgrade, too.
 */
import type { Queryable } from '../database/database.ts';
import { type Result, resultKeys } from './task.ts';

type ResultRow = Result & { readonly id: string };

const pageRows = 5_000;

/** Yields the storage keys of all results that were not deleted, in slices of the table. */
export async function* listResultKeys(db: Queryable): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { rows } = await db.query<ResultRow>(
      `select id, result->>'video' as video, result->>'lastFrame' as "lastFrame",
         result->>'poster' as poster
       from tasks where result is not null and removed_at is null and id > $1
       order by id limit ${pageRows}`,
      [after],
    );
    for (const row of rows) yield* resultKeys(row);
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.id;
  }
}

/** Those of the tasks whose results are neither expired nor deleted. */
export async function findStoredResults(
  db: Queryable,
  taskIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `select id from tasks
     where id = any($1::text[]) and removed_at is null and expires_at > now()`,
    [taskIds],
  );
  return new Set(rows.map(({ id }) => id));
}
