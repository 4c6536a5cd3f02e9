/** A page of a task list or search whose work is bounded, whatever the filters are. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { type Database, sqlState, type Transaction } from '../../database/database.ts';
import { type Page, pageOf } from '../../database/page.ts';
import { monotonicMs } from '../../process/clock.ts';
import { isTaskSearch, searchTasks, type TaskSearch } from '../../tasks/search-tasks.ts';
import type { Task } from '../../tasks/task.ts';
import { findWindowEnd, listTasks, type TaskFilter } from '../../tasks/task-list.ts';

/** A page that an index serves takes milliseconds. */
const statementMsMax = 5_000;
const statementTimeout = '57014';

/** Most pages are in the first window. */
const windowRows = { first: 1_000, next: 10_000 };

/**
 * Reads a list window by window, in the order of its index, until the page is full. After `msMax`
 * the page has what was found by then, and its cursor is where the next one goes on. Without
 * `msMax` pages are whole; `invalid_request` is thrown if that takes too long.
 */
export const findTaskPage = (
  db: Database,
  filter: TaskSearch & TaskFilter,
  { msMax }: { readonly msMax?: number } = {},
): Promise<Page<Task>> =>
  readPage(db, async (tx) => {
    const { limit } = filter;
    // One more shows that there is a next page.
    const missing = () => limit + 1 - found.length;
    const found: Task[] = [];
    if (isTaskSearch(filter)) {
      return pageOf(await searchTasks(tx, { ...filter, limit: missing() }), limit);
    }
    const end = monotonicMs() + (msMax ?? statementMsMax);
    let { beforeId } = filter;
    let rows = windowRows.first;
    for (;;) {
      const untilId = await findWindowEnd(tx, { ...filter, beforeId, limit: rows });
      found.push(...(await listTasks(tx, { ...filter, beforeId, untilId, limit: missing() })));
      if (untilId === undefined || missing() === 0) return pageOf(found, limit);
      if (monotonicMs() >= end) {
        if (msMax === undefined) throw tooLong();
        return { items: found, nextCursor: untilId };
      }
      beforeId = untilId;
      rows = windowRows.next;
    }
  });

/** Throws `invalid_request` if the filters match too few of too many tasks. */
export async function readPage<T>(db: Database, read: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(read, { statementMsMax });
  } catch (error) {
    if (sqlState(error) !== statementTimeout) throw error;
    throw tooLong();
  }
}

const tooLong = () =>
  invalidRequest(
    'The search took too long; narrow the time range with created_after and created_before.',
  );
