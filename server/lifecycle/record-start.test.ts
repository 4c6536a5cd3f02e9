/** What follows each response to a start: the attempt, the job, and which provider is next. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  claimJob,
  claimNewTask,
  lifecycleWith,
  model,
  readAttempts,
  readJob,
} from '../../proof/kit/lifecycle-fixture.ts';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import {
  createScriptedProvider,
  type Scripted,
  type StartStep,
} from '../../proof/kit/scripted-provider.ts';
import { openAttempt } from '../tasks/attempts.ts';
import { submit } from './submit.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

const provider = (name: string, ...start: Scripted<StartStep>[]) =>
  createScriptedProvider({ name, script: { start } });

type Row = [
  response: string,
  start: Scripted<StartStep>,
  attempts: string[],
  job: { kind: string; waits: string[] | null; delay: number },
];
const waits = (...names: string[]) => names.map((name) => `${name} ${model}`);
const table: readonly Row[] = [
  ['accepted', 'accepted', ['one: open'], { kind: 'poll', waits: null, delay: 0 }],
  ['lost', 'lost', ['one: open'], { kind: 'submit', waits: null, delay: 2 }],
  ['an exception', 'throws', ['one: open'], { kind: 'submit', waits: null, delay: 2 }],
  ['refused by it', 'refused', ['one: refused'], { kind: 'submit', waits: null, delay: 0 }],
  ['busy', 'busy', ['one: throttled'], { kind: 'submit', waits: waits('full', 'one'), delay: 300 }],
  ['not now', 'throttled', ['one: throttled'], { kind: 'submit', waits: waits('full'), delay: 1 }],
];
for (const [response, start, attempts, job] of table) {
  test(`${response}, while the other provider is full`, async () => {
    const { db } = scratch;
    const full = provider('full', 'accepted');
    const lifecycle = lifecycleWith(db, [provider('one', start), full], {
      full: { concurrency: 1 },
    });
    const { taskId } = await claimNewTask(db);
    const other = { taskId, provider: 'full', credential: null, reference: `vg_${taskId}` };
    await db.transaction((tx) => openAttempt(tx, other));
    const submitted = await claimNewTask(db);
    await submit(lifecycle, submitted);
    assert.deepEqual(await readAttempts(db, submitted.taskId), attempts);
    const { delay, ...found } = (await readJob(db, submitted.taskId))!;
    assert.deepEqual({ ...found, delay: Math.min(delay, job.delay) }, job);
    await db.query('delete from attempts');
    await db.query('delete from jobs');
  });
}

test('a busy provider is followed by another with room, at once', async () => {
  const { db } = scratch;
  const lifecycle = lifecycleWith(db, [provider('one', 'busy'), provider('two', 'accepted')]);
  const job = await claimNewTask(db);
  await submit(lifecycle, job);
  await submit(lifecycle, (await claimJob(db))!);
  assert.deepEqual(await readAttempts(db, job.taskId), ['one: throttled', 'two: open']);
});

test('content that a provider rejects goes to no other, and is refunded', async () => {
  const { db } = scratch;
  const lifecycle = lifecycleWith(db, [provider('one', 'rejected'), provider('two', 'accepted')]);
  const { taskId, ...job } = await claimNewTask(db);
  await submit(lifecycle, { ...job, taskId });
  assert.deepEqual(await readAttempts(db, taskId), ['one: refused']);
  const { rows } = await db.query('select failed_reason, billing_status from tasks where id = $1', [
    taskId,
  ]);
  assert.deepEqual(rows, [{ failed_reason: 'provider_rejected', billing_status: 'refunded' }]);
});
