/**
 * The account's webhook endpoint: used when a create names no callback URL, chosen when the task is
 * created, checked like a callback URL, and recorded in the audit log.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'svix';
import { assertApiError } from '../kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../kit/journey.ts';
import { pluck } from '../kit/pluck.ts';

const { service, receiver } = await useJourney();

const setUrl = (accountId: string, url: unknown) =>
  service.admin.post(`/admin/accounts/${accountId}/webhook-url`, { url });
const callbackOf = async (taskId: unknown) =>
  (await service.admin.get(`/admin/tasks/${taskId}`)).body.callback_url;
const path = (name: string) => receiver.url.replace('/hook', `/${name}`);

test('receives the signed webhook of a task whose create names no callback URL', async () => {
  const account = await service.account({ live: 100 });
  const { status, body } = await setUrl(account.id, path('account'));
  assert.deepEqual([status, body.webhook_url], [200, path('account')]);
  const from = receiver.webhooks.length;
  const task = await account.client.run(textToVideo);
  await receiver.waitForWebhooks(from + 1);
  const webhook = receiver.webhooks[from]!;
  assert.deepEqual([webhook.path, webhook.body.id], ['/account', task.id]);
  new Webhook(account.webhookSecret).verify(webhook.raw, webhook.headers as Record<string, string>);

  const own = { ...textToVideo, callback_url: path('own') };
  const { body: named } = await account.client.create(own);
  assert.equal(await callbackOf(named.taskId), path('own'));
});

test('is stored with the task, so that a change applies to later tasks only', async () => {
  const { id, client } = await service.account({ live: 100 });
  const create = async (key?: string) =>
    (await client.create(textToVideo, key ? { 'idempotency-key': key } : {})).body.taskId;
  const before = await create('before');
  await setUrl(id, path('first'));
  const first = await create();
  // The same request: a retry after the change gets the task of the first.
  assert.equal(await create('before'), before);
  await setUrl(id, null);
  const none = await create();
  assert.deepEqual(
    [await callbackOf(before), await callbackOf(first), await callbackOf(none)],
    [null, path('first'), null],
  );
});

test('is checked like a callback URL, and every change is in the audit log', async () => {
  const { id } = await service.account();
  for (const url of ['ftp://example.com', 'https://10.0.0.1/hook', 'https://a:b@example.com', '']) {
    assertApiError(await setUrl(id, url), 'invalid_request', /^url must/);
  }
  assertApiError(await setUrl(id, 5), 'invalid_request', /^url must be a string/);
  const unknown = '00000000-0000-4000-8000-000000000000';
  assertApiError(await setUrl(unknown, path('x')), 'not_found');
  await setUrl(id, path('x'));
  await setUrl(id, null);
  const log = await service.auditLog(id);
  const changes = log.filter(({ action }) => action === 'webhook_url.set');
  assert.deepEqual(pluck(changes, 'detail'), [{ url: null }, { url: path('x') }]);
});
