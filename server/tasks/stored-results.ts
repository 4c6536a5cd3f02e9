/** The files that tasks refer to, for backups. */
import type { Queryable } from '../database/database.ts';

const pageRows = 5_000;

/** Yields the storage keys of all results that were not deleted, in slices of the table. */
export async function* listResultKeys(db: Queryable): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { rows } = await db.query<{ id: string; video: string; lastFrame: string | null }>(
      `select id, result->>'video' as video, result->>'lastFrame' as "lastFrame"
       from tasks where result is not null and removed_at is null and id > $1
       order by id limit ${pageRows}`,
      [after],
    );
    for (const { video, lastFrame } of rows) {
      yield video;
      if (lastFrame !== null) yield lastFrame;
    }
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.id;
  }
}
