/**
 * A provider that was asked to stop and stops late, or does not confirm it: the task ends as
 * cancelled, not as a failure of the provider, also when a poll sees the stop first.
 * Thorough: waits for a provider that stops late.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTask, useJourney } from '../kit/journey.ts';
import type { Script, StatusStep } from '../kit/scripted-provider.ts';

const scripts = new Map<string, Script>();
const journey = await useJourney({ script: ({ generation }) => scripts.get(generation.prompt)! });

const countCalls = (kind: string) =>
  journey.provider.calls.filter((call) => call.kind === kind).length;

const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;

/** Asks to cancel a generating task; the provider neither confirms nor denies. */
async function askToCancel(prompt: string, afterwards: readonly StatusStep[]) {
  const { promise: wasRequested, resolve } = Promise.withResolvers<void>();
  const status = [pending, ...afterwards.map((step) => ({ step, until: wasRequested }))];
  scripts.set(prompt, { status, cancel: ['unknown'] });
  const polls = countCalls('status');
  const task = await createTask(journey.service, { input: { prompt } });
  await journey.provider.waitForCall('status', polls + 1);
  const cancelling = task.client.post(`/v1/tasks/${task.taskId}/cancel`);
  const cancels = countCalls('cancel');
  await journey.provider.waitForCall('cancel', cancels + 1);
  resolve();
  return { ...task, response: await cancelling };
}

for (const end of ['failed', 'vanished'] as const) {
  test(`returns 200 when the provider stops shortly after it was asked: ${end}`, async () => {
    const { response, available } = await askToCancel(`soon ${end}`, [pending, end]);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    assert.equal(response.body.failed_reason, 'cancelled');
    assert.equal(response.body.billing_status, 'refunded');
    assert.equal(await available(), 100);
  });
}

test('ends as cancelled when the provider stops after the request was answered', async () => {
  // On a busy machine the polls may take longer than a recent cancel is polled quickly.
  const soon = { outcome: 'pending', pollAfterSeconds: 1 } as const;
  const later = [...Array.from({ length: 5 }, () => soon), 'failed'] as const;
  const { response, final } = await askToCancel('later', later);
  assert.equal(response.status, 400);
  const task = await final();
  assert.deepEqual([task.failed_reason, task.billing_status], ['cancelled', 'refunded']);
});

/** A task that is being polled; the poll finds it failed when `endPoll` is called. */
async function beginPoll(prompt: string, cancel: NonNullable<Script['cancel']>) {
  const { promise, resolve: endPoll } = Promise.withResolvers<void>();
  scripts.set(prompt, { status: [{ step: 'failed', until: promise }], cancel });
  const polls = countCalls('status');
  const { client, taskId: id } = await createTask(journey.service, { input: { prompt } });
  await journey.provider.waitForCall('status', polls + 1);
  return { id, client, endPoll };
}

test('a slow cancellation returns 200 when a poll ended the task first', async () => {
  const { promise: taskOver, resolve: endCancel } = Promise.withResolvers<void>();
  const { id, client, endPoll } = await beginPoll('slow', [{ step: 'stopped', until: taskOver }]);
  const cancelCalls = countCalls('cancel');
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.waitForCall('cancel', cancelCalls + 1);
  await journey.service.db.query(
    `update attempts set stop_asked_at = now() - interval '61 seconds' where task_id = $1`,
    [id],
  );
  endPoll();
  assert.equal((await client.final(id)).failed_reason, 'cancelled');
  endCancel();
  const { status, body } = await cancelling;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.failed_reason, 'cancelled');
});
