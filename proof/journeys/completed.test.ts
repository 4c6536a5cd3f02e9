/** A task that completes: created, generated, charged, announced, downloaded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskStatusResponse } from '@vidgen/contract/task-status.ts';
import { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import { Webhook } from 'standardwebhooks';
import { balanceOf, createTask, textToVideo, useJourney } from '../kit/journey.ts';

const journey = await useJourney();

test('a completed task is charged, announced once, and its video can be downloaded', async () => {
  const { service, receiver, provider } = journey;
  const account = await service.account({ live: 100 });
  const created = await account.client.create({
    ...textToVideo,
    callback_url: receiver.url,
    input: { ...textToVideo.input, return_last_frame: true },
  });
  assert.equal(created.status, 200);
  assert.deepEqual(Object.keys(created.body).sort(), ['credits', 'taskId']);
  assert.equal(created.body.credits, 5);
  const id = created.body.taskId as string;
  assert.match(id, /^task_[0-9a-hjkmnp-tv-z]{26}$/);

  const task = TaskStatusResponse.parse(await account.client.final(id));
  assert.equal(task.status, 'completed');
  assert.equal(task.billing_status, 'charged');
  assert.equal(task.failed_reason, null);
  assert.deepEqual((await balanceOf(service, account.id)).live, {
    available: 95,
    reserved: 0,
    suspended: 0,
  });
  assert.deepEqual(provider.startedTwice(), []);

  const [webhook] = await receiver.waitForWebhooks(1);
  const body = CompletionPayload.parse(webhook!.body);
  assert.equal(body.id, id);
  assert.deepEqual(body.data, task.data);
  const headers = webhook!.headers as Record<string, string>;
  new Webhook(account.webhookSecret).verify(webhook!.raw, headers);

  const whole = await fetch(task.data!.results[0]!);
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get('content-type'), 'video/mp4');
  const bytes = Buffer.from(await whole.arrayBuffer());
  assert.equal(bytes.length, Number(whole.headers.get('content-length')));
  assert.equal(bytes.subarray(4, 8).toString(), 'ftyp');
  const part = await fetch(task.data!.results[0]!, { headers: { range: 'bytes=4-7' } });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), 'ftyp');
  assert.equal((await fetch(task.data!.last_frame_url!)).headers.get('content-type'), 'image/jpeg');
  await service.assertInvariants();
});

test('sends no webhook for a task without callback_url', async () => {
  const { service, receiver } = journey;
  const before = receiver.webhooks.length;
  const { account, final } = await createTask(service);
  await final();
  const { body: deliveries } = await service.admin.get(`/admin/accounts/${account.id}/deliveries`);
  assert.deepEqual(deliveries.items, []);
  assert.equal(receiver.webhooks.length, before);
});
