/**
 * The index of prompts, filled some seconds after the create. It has nothing that its task has not:
 * erasing a prompt erases its words in the same commit.
 */
import type { Queryable, Transaction } from '../database/database.ts';
import { idAt } from './task-id.ts';

/** An arbitrary number that every process uses. */
const wordsLock = 7_416_030_130;
/** A transaction that creates a task is committed before, so no task with a lower ID follows. */
const settledMs = 60_000;
const sliceMax = 500;

/** Words that begin with `=` are no words of a prompt: the parser drops the sign. */
export const requestWord = (requestId: string): string => `=request:${requestId.toLowerCase()}`;
export const accountWord = (accountId: string): string => `=account:${accountId}`;

/** Of a row of `tasks`. */
export const taskWordsSql = `search_words(coalesce(generation ->> 'prompt', ''))
  || array_to_tsvector(array_remove(array['=account:' || account_id,
       '=request:' || lower(left(request_id, 200))], null))`;

/** All tasks up to this ID are in the index. */
export async function findWordsPosition(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ position: string }>(
    'select position from task_search_position',
  );
  return rows[0]?.position ?? '';
}

/** Each beginning reads all words that have it, and a short one a large part of the index. */
const beginnings = { wordsMax: 8, lettersMin: 3 };

/**
 * Returns the words of a text as a `tsquery`: each as the beginning of a word, or as a whole if it
 * is short or there are many.
 */
export async function findWordsQuery(db: Queryable, text: string): Promise<string> {
  const { rows } = await db.query<{ words: string[] }>(
    'select tsvector_to_array(search_words($1)) as words',
    [text],
  );
  const { words } = rows[0]!;
  const { wordsMax, lettersMin } = beginnings;
  return words
    .map((word) => {
      const isBeginning = words.length <= wordsMax && [...word].length >= lettersMin;
      const quoted = `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
      return `${quoted}${isBeginning ? ':*' : ''}`;
    })
    .join(' & ');
}

/**
 * Adds the next tasks, and returns whether there are more. Does nothing while another process adds
 * some.
 */
export async function addTaskWords(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ position: string; now: Date }>(
    'select position, now() as now from task_search_position for update skip locked',
  );
  if (!rows[0]) return false;
  // A prompt that is erased meanwhile must not come back: erasing waits for this commit.
  await tx.query('select pg_advisory_xact_lock($1)', [wordsLock]);
  const { position, now } = rows[0];
  const { rows: added } = await tx.query<{ id: string }>(
    `with slice as materialized (
       select id, generation, account_id, request_id from tasks t
       where id > $1 and not exists (select from task_search s where s.task_id = t.id)
       order by id limit ${sliceMax})
     insert into task_search (task_id, words) select id, ${taskWordsSql} from slice
     on conflict do nothing returning task_id as id`,
    [position],
  );
  const settled = idAt(new Date(now.getTime() - settledMs));
  const last = added.map(({ id }) => id).reduce((one, other) => (one > other ? one : other), '');
  const hasMore = added.length === sliceMax;
  const next = hasMore && last < settled ? last : settled;
  if (next > position) {
    await tx.query('update task_search_position set position = $1', [next]);
  }
  return hasMore;
}

/** Call after the prompts were changed or the tasks deleted, in the same transaction. */
export async function updateTaskWords(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared($1)', [wordsLock]);
  await tx.query(
    `with kept as (
       update task_search s set words = ${taskWordsSql} from tasks t
       where t.id = s.task_id and s.task_id = any($1::text[]) returning s.task_id)
     delete from task_search where task_id = any($1::text[])
       and not exists (select from tasks where id = task_id)`,
    [ids],
  );
}
