/**
 * A queued task is cancelled at once, also while its submit waits for the provider. What the submit
 * returns later is stopped, or recorded as a loss, and a submit that starts during the cancellation
 * is cancelled at its provider.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTask, startJourney, textToVideo, useJourney } from '../../proof/kit/journey.ts';
import type { Script, StartStep } from '../../proof/kit/scripted-provider.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { type Database, type PreparedStatement, type Row, sqlText } from '../database/database.ts';
import { openAttempt, recordOperation, setStartUncertain } from '../tasks/attempts.ts';
import { findTask } from '../tasks/store.ts';
import { abandonOperation, cancel } from './cancel.ts';

const scripts = new Map<string, Script>();
const { service, provider } = await useJourney({
  script: ({ generation }) => scripts.get(generation.prompt) ?? {},
});

type SeenAttempt = { outcome: string; operation: string | null; loss: string | null };

async function attemptOf(taskId: string): Promise<SeenAttempt> {
  const { body } = await service.admin.get(`/admin/tasks/${taskId}`);
  return (body.attempts as SeenAttempt[])[0]!;
}

/** Cancels a task whose start is under way; `answer` lets the provider respond to the start. */
async function cancelDuringStart(prompt: string, start: StartStep, script: Script = {}) {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  scripts.set(prompt, { start: [{ step: start, until: promise }], ...script });
  const starts = provider.calls.filter(({ kind }) => kind === 'start').length;
  const { client, taskId, available } = await createTask(service, { input: { prompt } });
  await provider.waitForCall('start', starts + 1);
  assert.equal((await client.task(taskId)).status, 'queued');
  const { status, body } = await client.post(`/v1/tasks/${taskId}/cancel`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.failed_reason, body.billing_status], ['cancelled', 'refunded']);
  assert.equal(await available(), 100);
  assert.match((await attemptOf(taskId)).loss ?? '', /^cancelled while the provider may go on/);
  await service.assertInvariants();
  return { taskId, answer };
}

test('stops what a slow submit returns after the cancellation, without a loss', async () => {
  const { taskId, answer } = await cancelDuringStart('stops', 'accepted', { cancel: ['stopped'] });
  answer();
  const attempt = await waitUntil(async () => {
    const seen = await attemptOf(taskId);
    return seen.loss === null && seen;
  });
  assert.equal(attempt.outcome, 'cancelled');
  assert.notEqual(attempt.operation, null);
  assert.equal(provider.calls.at(-1)!.kind, 'cancel');
});

test('records the loss when the provider does not stop what the submit returned', async () => {
  const { taskId, answer } = await cancelDuringStart('runs', 'accepted', { cancel: ['running'] });
  answer();
  const attempt = await waitUntil(async () => {
    const seen = await attemptOf(taskId);
    return seen.operation !== null && /accepted by scripted after/.test(seen.loss ?? '') && seen;
  });
  assert.equal(attempt.outcome, 'cancelled');
});

test('stops an operation that a callback told after the cancellation', async () => {
  const operation = 'told by a callback';
  const { taskId, answer } = await cancelDuringStart('told', { outcome: 'accepted', operation });
  await service.db.transaction((tx) => recordOperation(tx, { taskId, number: 1, operation }));
  answer();
  await waitUntil(async () => /accepted by scripted/.test((await attemptOf(taskId)).loss ?? ''));
  const { kind, operation: stopped } = provider.calls.at(-1)!;
  assert.deepEqual({ kind, stopped }, { kind: 'cancel', stopped: operation });
});

for (const step of ['refused', 'rejected', 'throttled'] as const) {
  test(`records no loss when the provider proves that it created nothing: ${step}`, async () => {
    const { taskId, answer } = await cancelDuringStart(step, step);
    answer();
    const attempt = await waitUntil(async () => {
      const seen = await attemptOf(taskId);
      return seen.loss === null && seen;
    });
    assert.equal(attempt.operation, null);
  });
}

test('keeps the possible loss when the response to the submit was lost', async () => {
  const { taskId, answer } = await cancelDuringStart('lost', 'lost');
  answer();
  await service.assertInvariants();
  assert.match((await attemptOf(taskId)).loss ?? '', /submit not answered/);
});

test('cancels a second operation of a completed task, not the one it used', async () => {
  const { lifecycle } = service.parts;
  const { taskId, final } = await createTask(service, { input: { prompt: 'completed' } });
  await final();
  const { operation } = await attemptOf(taskId);
  const cancels = () => provider.calls.filter(({ kind }) => kind === 'cancel').length;
  const before = cancels();
  await abandonOperation(lifecycle, { taskId, number: 1, provider, operation: operation! });
  assert.deepEqual([(await attemptOf(taskId)).loss, cancels()], [null, before]);
  await abandonOperation(lifecycle, { taskId, number: 1, provider, operation: 'a second one' });
  const attempt = await attemptOf(taskId);
  assert.deepEqual([attempt.operation, cancels()], [operation, before + 1]);
  assert.match(attempt.loss ?? '', /accepted by scripted after the task had ended/);
});

test('cancels a submit at its provider when it starts during the cancellation', async () => {
  await using waiting = await startJourney({
    script: { cancel: ['stopped'] },
    environment: { VIDGEN_ROLE: 'api' },
  });
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
    await setStartUncertain(tx, { ...attempt, startUncertain: false, detail: 'too early' });
    return attempt;
  });
  const attemptRef = { taskId, number };
  const submitting: (() => Promise<unknown>)[] = [
    () =>
      db.transaction((tx) =>
        setStartUncertain(tx, { ...attemptRef, startUncertain: true, detail: null }),
      ),
    async () => {
      const { generation, secondsLeft } = task;
      const startResult = await provider.start({
        reference,
        taskId,
        generation,
        secondsLeft,
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
    async query<R extends Row>(statement: string | PreparedStatement, values?: readonly unknown[]) {
      const result = await db.query<R>(statement, values);
      if (/attempts\s+where task_id = any/.test(sqlText(statement))) await submitting.shift()?.();
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
});
