/** Stories: a task with the shots before it and after it, each found by an index. */
import { continuesKey, continuesOf, shotsBefore, storyShotsMax } from '@vidgen/contract/story.ts';
import type { Queryable } from '../database/database.ts';
import { findTasks } from './store.ts';
import type { Task } from './task.ts';
import { listTasks } from './task-list.ts';

/** `task` is null if it was erased, or belongs to another account or mode. */
type Shot = { readonly id: string; readonly task: Task | null };

/** Of several continuations of a shot, more than this many failed ones hide the others. */
const continuationsRead = 20;

/**
 * Returns the shots in order. Of several continuations of a shot, the newest that has not failed
 * belongs to the story.
 */
export async function findStory(db: Queryable, task: Task): Promise<readonly Shot[]> {
  const { accountId, mode } = task;
  const before = shotsBefore(task.metadata);
  const found = before.length === 0 ? [] : await findTasks(db, before);
  const isOwn = (one: Task | null) => one?.accountId === accountId && one.mode === mode;
  const shots: Shot[] = [
    ...before.map((id, at) => ({ id, task: isOwn(found[at]!) ? found[at]! : null })),
    { id: task.id, task },
  ];
  while (shots.length < storyShotsMax) {
    const metadata = { [continuesKey]: continuesOf(shots.map(({ id }) => id)) };
    const filter = { accountId, mode, metadata, limit: continuationsRead };
    const next = (await listTasks(db, filter)).find(({ status }) => status !== 'failed');
    if (!next || shots.some(({ id }) => id === next.id)) break;
    shots.push({ id: next.id, task: next });
  }
  return shots;
}
