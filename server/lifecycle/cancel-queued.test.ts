/**
 * A queued task is cancelled at once, also while its submit waits for the provider. What the submit
 * returns later is stopped, or recorded as a loss.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTask, startJourney } from '../../proof/kit/journey.ts';
import type { Script, StartStep } from '../../proof/kit/scripted-provider.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import { recordOperation } from '../tasks/attempts.ts';

const scripts = new Map<string, Script>();
const journey = await startJourney({ script: ({ generation }) => scripts.get(generation.prompt)! });
after(() => journey.close());
const { service, provider } = journey;

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
