/**
 * Looks while somebody cancels. A provider stops what it was told to stop, a look sees that it is
 * over without a video, and the task still ends as cancelled, by whoever cancelled it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney, textToVideo } from '../kit/journey.ts';
import { untilPutOff } from '../kit/put-off.ts';
import type { Script } from '../kit/scripted-provider.ts';

const scripts = new Map<string, Script>();
let journey: Journey;
before(async () => {
  journey = await startJourney({ script: ({ generation }) => scripts.get(generation.prompt)! });
});
after(() => journey.close());

const calls = (kind: string) => journey.provider.calls.filter((call) => call.kind === kind).length;

/** A task that is being looked at; the look finds it failed when `endLook` is called. */
async function begin(prompt: string, script: Script = {}) {
  const { promise, resolve: endLook } = Promise.withResolvers<void>();
  scripts.set(prompt, { status: [{ step: 'failed', until: promise }], ...script });
  const { client } = await journey.service.account({ live: 100 });
  const looks = calls('status');
  const input = { ...textToVideo.input, prompt };
  const { body } = await client.create({ ...textToVideo, input });
  await journey.provider.called('status', looks + 1);
  return { id: body.taskId as string, client, endLook };
}

test('a look that finds it stopped leaves the end to who stops it', async () => {
  const { promise: lookOver, resolve: endStop } = Promise.withResolvers<void>();
  const { id, client, endLook } = await begin('stopped', {
    cancel: [{ step: 'stopped', until: lookOver }],
  });
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.called('cancel', 1);
  endLook();
  await untilPutOff(journey.service.db, id);
  assert.equal((await client.task(id)).status, 'generating');
  endStop();
  const { status, body } = await cancelling;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.failed_reason, 'cancelled');
  assert.equal(body.billing_status, 'refunded');
  await journey.service.auditClean();
});

test('when stopping takes so long that a look ends it, its cancel is answered', async () => {
  const { promise: taskOver, resolve: endStop } = Promise.withResolvers<void>();
  const { id, client, endLook } = await begin('slow', {
    cancel: [{ step: 'stopped', until: taskOver }],
  });
  const asked = calls('cancel');
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.called('cancel', asked + 1);
  await journey.service.db.query(
    `update attempts set stop_asked_at = now() - interval '61 seconds' where task_id = $1`,
    [id],
  );
  endLook();
  assert.equal((await client.final(id)).failed_reason, 'cancelled');
  endStop();
  const { status, body } = await cancelling;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.failed_reason, 'cancelled');
  await journey.service.auditClean();
});

test('when who was stopping it has died, a look ends it as cancelled', async () => {
  const { id, client, endLook } = await begin('died');
  await journey.service.db.query(
    `update attempts set stop_asked_at = now() - interval '61 seconds' where task_id = $1`,
    [id],
  );
  endLook();
  const task = await client.final(id);
  assert.equal(task.failed_reason, 'cancelled');
  assert.equal(task.billing_status, 'refunded');
  await journey.service.auditClean();
});

test('what could not be stopped and fails later is the failure of its provider', async () => {
  const { id, client, endLook } = await begin('running', { cancel: ['running'] });
  assert.equal((await client.post(`/v1/tasks/${id}/cancel`)).status, 400);
  endLook();
  assert.equal((await client.final(id)).failed_reason, 'provider_failed');
  await journey.service.auditClean();
});

test('who cancels it a second time meanwhile spoils nothing', async () => {
  const { promise: refused, resolve: endStop } = Promise.withResolvers<void>();
  const { id, client } = await begin('twice', {
    cancel: [{ step: 'stopped', until: refused }, 'gone'],
  });
  const asked = calls('cancel');
  const cancelling = client.post(`/v1/tasks/${id}/cancel`);
  await journey.provider.called('cancel', asked + 1);
  const second = await client.post(`/v1/tasks/${id}/cancel`);
  assert.equal(second.status, 400);
  assert.match(JSON.stringify(second.body), /is being cancelled/);
  endStop();
  const { status, body } = await cancelling;
  assert.equal(status, 200);
  assert.equal(body.failed_reason, 'cancelled');
  assert.equal(calls('cancel'), asked + 1);
});

test('a stop that was asked for long ago says nothing about a failure of today', async () => {
  const { id, client, endLook } = await begin('long ago');
  await journey.service.db.query(
    `update attempts set stop_asked_at = now() - interval '10 minutes' where task_id = $1`,
    [id],
  );
  endLook();
  assert.equal((await client.final(id)).failed_reason, 'provider_failed');
});
