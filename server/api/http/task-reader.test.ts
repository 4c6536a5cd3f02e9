/** Reading and waiting: no change is missed, and disconnected clients are forgotten. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openScratchDatabase, type ScratchDatabase } from '../../../proof/kit/scratch-database.ts';
import { createOf, seedAccount } from '../../../proof/kit/seed.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { createAcceptTask } from '../../lifecycle/accept.ts';
import { moveToGenerating, notifyTaskChanges, taskChannel } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';
import { TaskReader } from './task-reader.ts';

const scratch = await openScratchDatabase();
const reader = new TaskReader(scratch.db);
await reader.listen(scratch.db);
after(async () => {
  await reader.close();
  await scratch.close();
});

const never = new AbortController().signal;

async function queuedTask(): Promise<Task> {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const accepted = await createAcceptTask(scratch)(createOf(account));
  assert('taskId' in accepted);
  return (await reader.find(accepted.taskId))!;
}

const move = ({ id }: Task) => scratch.db.transaction((tx) => moveToGenerating(tx, [id]));

test('a change right after the first read is not missed', async () => {
  for (let round = 0; round < 20; round++) {
    const task = await queuedTask();
    const [seen] = await Promise.all([
      reader.waitForChange(task, { waitMs: 10_000, signal: never }),
      move(task),
    ]);
    assert.equal(seen?.status, 'generating');
  }
  assert.equal(reader.waitingCount, 0);
});

test('a change before the wait is seen at once', async () => {
  const task = await queuedTask();
  await move(task);
  const seen = await reader.waitForChange(task, { waitMs: 10_000, signal: never });
  assert.equal(seen?.status, 'generating');
});

test('a task that is deleted ends the wait', async () => {
  const task = await queuedTask();
  const waiting = reader.waitForChange(task, { waitMs: 60_000, until: 'final', signal: never });
  await waitUntil(() => reader.waitingCount === 1);
  await scratch.db.transaction(async (tx) => {
    await tx.query('alter table tasks disable trigger all');
    await tx.query('delete from tasks where id = $1', [task.id]);
    await tx.query('alter table tasks enable trigger all');
    await notifyTaskChanges(tx, [task.id]);
  });
  assert.equal(await waiting, null);
});

test('notifications of other tasks, or without a change, do not end the wait', async () => {
  const task = await queuedTask();
  const waiting = reader.waitForChange(task, { waitMs: 600, signal: never });
  await scratch.db.query('select pg_notify($1, $2)', [taskChannel, task.id]);
  await scratch.db.query('select pg_notify($1, $2)', [taskChannel, 'task_of_nobody']);
  assert.equal((await waiting)?.status, 'queued');
});

test('disconnected clients are forgotten', async () => {
  const task = await queuedTask();
  const clients = Array.from({ length: 200 }, () => new AbortController());
  const waits = clients.map(({ signal }) =>
    reader.waitForChange(task, { waitMs: 60_000, signal: signal }),
  );
  await waitUntil(() => reader.waitingCount === 200);
  for (const client of clients) client.abort();
  await Promise.all(waits);
  assert.equal(reader.waitingCount, 0);
  const gone = await reader.waitForChange(task, { waitMs: 60_000, signal: AbortSignal.abort() });
  assert.equal(gone?.status, 'queued');
});

test('a malformed id is not found and not queried', async () => {
  const closed = new TaskReader({
    query: () => Promise.reject(new Error('asked')),
  } as unknown as ScratchDatabase['db']);
  for (const id of ['', 'x', 'task_', `task_${'0'.repeat(27)}`, '\0', 'TASK_']) {
    assert.equal(await closed.find(id), null);
  }
});

test('a deleted task is no longer known, and one in progress still is', async () => {
  const task = await queuedTask();
  const otherId = task.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const deleted = reader.remember({ ...task, id: otherId, status: 'failed' });
  reader.remember(task);
  for (const { id } of [task, deleted]) {
    await scratch.db.query('select pg_notify($1, $2)', [taskChannel, id]);
  }
  // Notifications arrive in order.
  await waitUntil(() => reader.lastKnown(deleted.id) === null);
  assert.equal(reader.lastKnown(task.id)?.id, task.id);
});
