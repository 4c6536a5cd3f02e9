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
const isTimeout = (error: unknown): boolean => sqlState(error) === statementTimeout;

/** A whole page. Throws `invalid_request` if the filters match too few of too many tasks. */
export async function findTaskPage(
  db: Database,
  filter: TaskSearch & TaskFilter,
): Promise<Page<Task>> {
  const read = isTaskSearch(filter) ? searchTasks : listTasks;
  return await readPage(db, (tx) => wholePage(tx, filter, read));
}

/**
 * A whole page if it is read in `msMax`. Otherwise windows of the list are read, for as long again:
 * the page has what they have, and its cursor is where the next page goes on.
 */
export async function findTasksSoFar(
  db: Database,
  filter: TaskFilter,
  { msMax = 1_000, windowRows = 10_000 } = {},
): Promise<Page<Task>> {
  const readWhole = (tx: Transaction) => wholePage(tx, filter, listTasks);
  try {
    // PostgreSQL takes 0 for no limit.
    if (msMax > 0) return await db.transaction(readWhole, { statementMsMax: msMax });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  return await readPage(db, (tx) => readWindows(tx, filter, { msMax, windowRows }));
}

async function wholePage<Filter extends TaskFilter>(
  tx: Transaction,
  filter: Filter,
  read: (tx: Transaction, filter: Filter) => Promise<Task[]>,
): Promise<Page<Task>> {
  // One more shows that there is a next page.
  return pageOf(await read(tx, { ...filter, limit: filter.limit + 1 }), filter.limit);
}

async function readWindows(
  tx: Transaction,
  filter: TaskFilter,
  { msMax, windowRows }: { readonly msMax: number; readonly windowRows: number },
): Promise<Page<Task>> {
  const end = monotonicMs() + msMax;
  const found: Task[] = [];
  const missing = () => filter.limit + 1 - found.length;
  let { beforeId } = filter;
  for (;;) {
    const untilId = await findWindowEnd(tx, { ...filter, beforeId, limit: windowRows });
    found.push(...(await listTasks(tx, { ...filter, beforeId, untilId, limit: missing() })));
    if (untilId === undefined || missing() === 0) return pageOf(found, filter.limit);
    if (monotonicMs() >= end) return { items: found, nextCursor: untilId };
    beforeId = untilId;
  }
}

/** Throws `invalid_request` if a statement takes too long. */
export async function readPage<T>(db: Database, read: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(read, { statementMsMax });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw invalidRequest(
      'The search took too long; narrow the time range with created_after and created_before.',
    );
  }
}
