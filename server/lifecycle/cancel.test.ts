/**
 * What happens to a submit whose response arrives after the task has ended, and to one that starts
 * while the task is being cancelled.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney, textToVideo } from '../../proof/kit/journey.ts';
import { type Database, type PreparedStatement, type Row, textOf } from '../database/database.ts';
import { openAttempt, recordOperation, setUnanswered } from '../tasks/attempts.ts';
import { findTask } from '../tasks/store.ts';
import { abandonOperation, cancel } from './cancel.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

async function completedTask() {
  const account = await journey.service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const taskId = body.taskId as string;
  await account.client.final(taskId);
  const attempt = async () => {
    const { body: seen } = await journey.service.admin.get(`/admin/tasks/${taskId}`);
    return (seen.attempts as { operation: string; loss: string | null }[])[0]!;
  };
  return { taskId, attempt };
}
const cancels = () => journey.provider.calls.filter(({ kind }) => kind === 'cancel').length;

test('neither cancels nor counts as a loss the operation that made the video', async () => {
  const { service, provider } = journey;
  const { taskId, attempt } = await completedTask();
  const { operation } = await attempt();
  const before = cancels();
  await abandonOperation(service.parts.lifecycle, { taskId, number: 1, provider, operation });
  assert.equal((await attempt()).loss, null);
  assert.equal(cancels(), before);
});

test('cancels a second operation of the same task and records it as a loss', async () => {
  const { service, provider } = journey;
  const { taskId, attempt } = await completedTask();
  const { operation } = await attempt();
  const stray = { taskId, number: 1, provider, operation: 'a second one' };
  const before = cancels();
  await abandonOperation(service.parts.lifecycle, stray);
  assert.equal(cancels(), before + 1);
  const { operation: kept, loss } = await attempt();
  assert.equal(kept, operation);
  assert.match(loss ?? '', /accepted by scripted after the task had ended/);
});

test('cancels a submit at its provider when it starts during the cancellation', async () => {
  const waiting = await startJourney({
    script: { cancel: ['stopped'] },
    environment: { VIDGEN_ROLE: 'api' },
  });
  try {
    const { service, provider } = waiting;
    const { lifecycle } = service.parts;
    const { db } = lifecycle;
    const { client } = await service.account({ live: 100 });
    const { body } = await client.create(textToVideo);
    const task = (await findTask(db, body.taskId as string))!;
    const taskId = task.id;
    // Started once and throttled: the provider has nothing.
    const { reference, number } = await db.transaction(async (tx) => {
      const newAttempt = { taskId, provider: provider.name, credential: null, reference: 'vg_1' };
      const attempt = await openAttempt(tx, newAttempt);
      await setUnanswered(tx, { ...attempt, unanswered: false, detail: 'too early' });
      return attempt;
    });
    const attemptRef = { taskId, number };
    const submitting: (() => Promise<unknown>)[] = [
      () =>
        db.transaction((tx) =>
          setUnanswered(tx, { ...attemptRef, unanswered: true, detail: null }),
        ),
      async () => {
        const { generation, secondsLeft } = task;
        const startResult = await provider.start({
          ...{ reference, taskId, generation, secondsLeft },
          endUser: 'e'.repeat(64),
        });
        assert.equal(startResult.outcome, 'accepted');
        const { operation } = startResult as { operation: string };
        await db.transaction((tx) => recordOperation(tx, { ...attemptRef, operation }));
      },
    ];
    // The submit advances by one step after each read of the cancellation.
    const meanwhile: Database = {
      transaction: (work) => db.transaction(work),
      listen: (channel, onNotify) => db.listen(channel, onNotify),
      runAlone: (statement) => db.runAlone(statement),
      close: () => db.close(),
      async query<R extends Row>(
        statement: string | PreparedStatement,
        values?: readonly unknown[],
      ) {
        const result = await db.query<R>(statement, values);
        if (/attempts\s+where task_id = any/.test(textOf(statement))) await submitting.shift()?.();
        return result;
      },
    };
    const ended = await cancel({ ...lifecycle, db: meanwhile }, task, {
      reauthorize: async () => {},
    });
    assert.equal(ended.failedReason, 'cancelled');
    assert.deepEqual(
      provider.calls.map(({ kind }) => kind),
      ['start', 'cancel'],
    );
    await service.assertInvariants();
  } finally {
    await waiting.close();
  }
});
