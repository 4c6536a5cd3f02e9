/**
 * Polls during a cancellation. A poll may see that the provider stopped without a video; the task
 * still ends as cancelled.
 * Thorough: repeats the unit tests of cancel with real processes.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTask, startJourney } from '../kit/journey.ts';
import type { Script } from '../kit/scripted-provider.ts';
import { waitUntilRescheduled } from '../kit/wait-until.ts';

const scripts = new Map<string, Script>();
const journey = await startJourney({ script: ({ generation }) => scripts.get(generation.prompt)! });
after(() => journey.close());

const countCalls = (kind: string) =>
  journey.provider.calls.filter((call) => call.kind === kind).length;

/** A task that is being polled; the poll finds it failed when `endPoll` is called. */
async function begin(prompt: string, script: Script = {}) {
  const { promise, resolve: endPoll } = Promise.withResolvers<void>();
  scripts.set(prompt, { status: [{ step: 'failed', until: promise }], ...script });
  const polls = countCalls('status');
  const { client, taskId: id } = await createTask(journey.service, { input: { prompt } });
  await journey.provider.waitForCall('status', polls + 1);
  return { id, client, endPoll };
}

const backdateCancel = (taskId: string, age: string) =>
  journey.service.db.query(
    'update attempts set stop_asked_at = now() - $2::interval where task_id = $1',
    [taskId, age],
  );

test('a poll that sees a stopped operation leaves the end to the cancellation', async () => {
  const { promise: pollOver, resolve: endCancel } = Promise.withResolvers<void>();
  const { id, client, endPoll } = await begin('stopped', {
    cancel: [{ step: 'stopped', until: pollOver }],
  });
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.waitForCall('cancel', 1);
  endPoll();
  await waitUntilRescheduled(journey.service.db, id);
  assert.equal((await client.task(id)).status, 'generating');
  endCancel();
  const { status, body } = await cancelling;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.failed_reason, 'cancelled');
  assert.equal(body.billing_status, 'refunded');
  await journey.service.assertInvariants();
});

test('a slow cancellation returns 200 when a poll ended the task first', async () => {
  const { promise: taskOver, resolve: endCancel } = Promise.withResolvers<void>();
  const { id, client, endPoll } = await begin('slow', {
    cancel: [{ step: 'stopped', until: taskOver }],
  });
  const cancelCalls = countCalls('cancel');
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.waitForCall('cancel', cancelCalls + 1);
  await backdateCancel(id, '61 seconds');
  endPoll();
  assert.equal((await client.final(id)).failed_reason, 'cancelled');
  endCancel();
  const { status, body } = await cancelling;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.failed_reason, 'cancelled');
  await journey.service.assertInvariants();
});

test('a poll ends the task as cancelled when the cancelling process died', async () => {
  const { id, client, endPoll } = await begin('died');
  await backdateCancel(id, '61 seconds');
  endPoll();
  const task = await client.final(id);
  assert.equal(task.failed_reason, 'cancelled');
  assert.equal(task.billing_status, 'refunded');
  await journey.service.assertInvariants();
});

test('a task that could not be stopped and fails later is a provider failure', async () => {
  const { id, client, endPoll } = await begin('running', { cancel: ['running'] });
  assert.equal((await client.post(`/v1/tasks/${id}/cancel`)).status, 400);
  endPoll();
  assert.equal((await client.final(id)).failed_reason, 'provider_failed');
  await journey.service.assertInvariants();
});

test('a second cancellation during the first returns 400 and changes nothing', async () => {
  const { promise: secondRejected, resolve: endCancel } = Promise.withResolvers<void>();
  const { id, client } = await begin('twice', {
    cancel: [{ step: 'stopped', until: secondRejected }, 'ended'],
  });
  const cancelCalls = countCalls('cancel');
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.waitForCall('cancel', cancelCalls + 1);
  const second = await client.post(`/v1/tasks/${id}/cancel`);
  assert.equal(second.status, 400);
  assert.match(JSON.stringify(second.body), /is already being canceled/);
  endCancel();
  const { status, body } = await cancelling;
  assert.equal(status, 200);
  assert.equal(body.failed_reason, 'cancelled');
  assert.equal(countCalls('cancel'), cancelCalls + 1);
});

test('an old cancellation does not explain a new failure', async () => {
  const { id, client, endPoll } = await begin('long ago');
  await backdateCancel(id, '10 minutes');
  endPoll();
  assert.equal((await client.final(id)).failed_reason, 'provider_failed');
});
