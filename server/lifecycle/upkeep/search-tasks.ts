/** A page of a task list or search whose work is bounded, whatever the filters are. */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { type Database, sqlState, type Transaction } from '../../database/database.ts';
import { isTaskSearch, searchTasks, type TaskSearch } from '../../tasks/search-tasks.ts';
import type { Task } from '../../tasks/task.ts';
import { listTasks, type TaskFilter } from '../../tasks/task-list.ts';

/** A page that an index serves takes milliseconds. */
const statementMsMax = 5_000;
const statementTimeout = '57014';

export const findTaskPage = (db: Database, filter: TaskSearch & TaskFilter): Promise<Task[]> =>
  readPage(db, (tx) => (isTaskSearch(filter) ? searchTasks : listTasks)(tx, filter));

/** Throws `invalid_request` if the filters match too few of too many tasks. */
export async function readPage<T>(db: Database, read: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(read, { statementMsMax });
  } catch (error) {
    if (sqlState(error) !== statementTimeout) throw error;
    throw invalidRequest(
      'The search took too long; narrow the time range with created_after and created_before.',
    );
  }
}
