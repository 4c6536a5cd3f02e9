/**
 * A provider that was asked to stop, did not confirm it, and stops later: the task ends as
 * cancelled, not as a failure of the provider.
 * Thorough: waits for a provider that stops late.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTask, startJourney } from '../kit/journey.ts';
import type { Script, StatusStep } from '../kit/scripted-provider.ts';

const scripts = new Map<string, Script>();
const journey = await startJourney({ script: ({ generation }) => scripts.get(generation.prompt)! });
after(() => journey.close());

const pending = { outcome: 'pending', pollAfterSeconds: 600 } as const;

/** Asks to cancel a generating task; the provider neither confirms nor denies. */
async function askToCancel(prompt: string, afterwards: readonly StatusStep[]) {
  const { promise: wasAsked, resolve } = Promise.withResolvers<void>();
  const status = [pending, ...afterwards.map((step) => ({ step, until: wasAsked }))];
  scripts.set(prompt, { status, cancel: ['unknown'] });
  const polls = journey.provider.calls.filter(({ kind }) => kind === 'status').length;
  const task = await createTask(journey.service, { input: { prompt } });
  await journey.provider.waitForCall('status', polls + 1);
  const cancelling = task.client.post(`/v1/tasks/${task.taskId}/cancel`);
  const cancels = journey.provider.calls.filter(({ kind }) => kind === 'cancel').length;
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
    await journey.service.assertInvariants();
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
  await journey.service.assertInvariants();
});

test('delivers the video when the provider does not stop', async () => {
  const { response, final } = await askToCancel('finishes', [pending, 'completed']);
  assert.equal(response.status, 400);
  assert.equal((await final()).status, 'completed');
});

test('reports a rejection of the content, although a cancellation was asked for', async () => {
  const { final } = await askToCancel('rejected', [pending, 'rejected']);
  assert.equal((await final()).failed_reason, 'provider_rejected');
});
