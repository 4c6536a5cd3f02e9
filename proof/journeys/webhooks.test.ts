/** Failed webhooks are retried with the same id and bytes, at most five times, then by replay. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { Webhook } from 'svix';
import { createTask, textToVideo, useJourney } from '../kit/journey.ts';
import { pluck } from '../kit/pluck.ts';
import { startReceiver } from '../kit/receiver.ts';
import { waitUntil } from '../kit/wait-until.ts';

const journey = await useJourney({
  environment: { VIDGEN_WEBHOOK_RETRIES: '50ms,50ms,50ms,50ms,50ms' },
});

async function runTask() {
  const task = await createTask(journey.service, { callback_url: journey.receiver.url });
  await task.final();
  return task;
}
const deliveryOf = async (accountId: string) => {
  const { body } = await journey.service.admin.get(`/admin/accounts/${accountId}/deliveries`);
  return (
    body.items as { id: string; status: string; attempts: { answer_status: number | null }[] }[]
  )[0]!;
};

test('a webhook is sent six times, the same and signed; a replay delivers it', async () => {
  const { receiver, service } = journey;
  const from = receiver.webhooks.length;
  receiver.onWebhook(
    (_webhook, response) => void response.writeHead(302, { location: receiver.url }).end(),
  );
  const { account } = await runTask();
  await waitUntil(async () => (await deliveryOf(account.id)).status === 'exhausted');
  assert.equal(receiver.webhooks.length - from, 6);
  receiver.onWebhook((_webhook, response) => void response.writeHead(204).end());
  const { id } = await deliveryOf(account.id);
  assert.equal((await service.admin.post(`/admin/deliveries/${id}/replay`)).status, 202);
  await waitUntil(async () => (await deliveryOf(account.id)).status === 'delivered');
  const webhooks = receiver.webhooks.slice(from);
  assert.equal(webhooks.length, 7);
  assert.equal(new Set(pluck(webhooks, 'raw')).size, 1);
  assert.equal(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size, 1);
  for (const { raw, headers } of webhooks) {
    new Webhook(account.webhookSecret).verify(raw, headers as Record<string, string>);
  }
  await service.assertInvariants();
});

test('a hanging receiver delays only its own webhooks', async () => {
  const { receiver, service } = journey;
  const hanging: ServerResponse[] = [];
  receiver.onWebhook((webhook, response) => {
    if (webhook.path.endsWith('/dead')) hanging.push(response);
    else response.writeHead(200).end();
  });
  const dead = await service.account({ live: 200 });
  const alive = await service.account({ live: 5 });
  const many = Array.from({ length: 30 }, () =>
    dead.client.create({ ...textToVideo, callback_url: `${receiver.url}/dead` }),
  );
  for (const { body } of await Promise.all(many)) await dead.client.final(body.taskId as string);
  await waitUntil(async () => hanging.length > 0);
  const { body } = await alive.client.create({ ...textToVideo, callback_url: receiver.url });
  await waitUntil(async () => receiver.webhooks.some((webhook) => webhook.body.id === body.taskId));
  // The account's webhooks to another receiver are not delayed either.
  const other = await startReceiver();
  await dead.client.create({ ...textToVideo, callback_url: other.url });
  // Both were delivered while every webhook to the hanging receiver was waiting.
  for (const { id } of [alive, dead]) {
    await waitUntil(async () => (await deliveryOf(id)).status === 'delivered');
  }
  const countWaiting = async () => {
    const path = `/admin/accounts/${dead.id}/deliveries?status=pending&limit=100`;
    return ((await service.admin.get(path)).body.items as unknown[]).length;
  };
  assert.equal(await countWaiting(), 30);
  receiver.onWebhook((_webhook, response) => void response.writeHead(200).end());
  for (const response of hanging) response.writeHead(200).end();
  await waitUntil(async () => (await countWaiting()) === 0);
  await other.close();
  await service.assertInvariants();
});
