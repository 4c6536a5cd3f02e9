/** Webhook deliveries over HTTP: replayed one by one or all that failed, within limits; tests. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ListLedgerResponse } from '@vidgen/contract/admin-accounts.ts';
import {
  Delivery,
  ListAttemptsResponse,
  ListDeliveriesResponse,
  ReplayFailedResponse,
  TestWebhookResponse,
} from '@vidgen/contract/admin-tasks.ts';
import { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import { Webhook } from 'svix';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { insertDeliveries } from '../../webhooks/delivery.ts';

const journey = await startJourney({ environment: { VIDGEN_WEBHOOK_RETRIES: '10ms' } });
after(() => journey.close());

const post = (path: string, body?: unknown) => journey.service.admin.post(path, body);
const listed = async (accountId: string, status: string) => {
  const path = `/admin/accounts/${accountId}/deliveries?status=${status}&limit=100`;
  return ListDeliveriesResponse.parse((await journey.service.admin.get(path)).body).items;
};

test('a replay returns 202 with the pending delivery, keeps attempts, is logged', async () => {
  const { service, receiver } = journey;
  const { id: accountId, client } = await service.account({ live: 100 });
  const { body: created } = await client.create({ ...textToVideo, callback_url: receiver.url });
  await waitUntil(async () => (await listed(accountId, 'delivered')).length === 1);
  const [before] = await listed(accountId, 'delivered');
  assert.deepEqual([before!.task_id, before!.attempts.length], [created.taskId, 1]);
  assert.equal(before!.prompt, textToVideo.input.prompt);
  const file = await service.admin.get(`/admin/accounts/${accountId}/deliveries?format=json`);
  assert.deepEqual(file.body, [before]);
  const [sent] = await receiver.waitForWebhooks(1);
  const shown = before!.attempts[0]!.request_headers!;
  for (const [name, value] of Object.entries(shown)) assert.equal(sent!.headers[name], value, name);
  assert.match(shown['webhook-signature']!, /^v1,/);
  // A viewer must not be able to send it again.
  const viewer = await newMember(service, { accountId, role: 'viewer' });
  const { body: seen } = await viewer.get(`/admin/accounts/${accountId}/deliveries`);
  const { 'webhook-signature': _, ...others } = shown;
  const [attempt] = ListDeliveriesResponse.parse(seen).items[0]!.attempts;
  assert.deepEqual(attempt!.request_headers, others);
  const ledger = await service.admin.get(`/admin/accounts/${accountId}/ledger`);
  assert.deepEqual(pluck(ListLedgerResponse.parse(ledger.body).items, 'kind', 'prompt'), [
    ['charge', before!.prompt],
    ['reserve', before!.prompt],
    ['grant', null],
  ]);
  const held = Promise.withResolvers<void>();
  receiver.onWebhook((_call, response) => {
    void held.promise.then(() => response.writeHead(200).end());
  });
  const { status, body } = await post(`/admin/deliveries/${before!.id}/replay`);
  assert.equal(status, 202);
  const replayed = Delivery.parse(body);
  assert.deepEqual(
    [replayed.id, replayed.status, replayed.attempts_made, replayed.delivered_at],
    [before!.id, 'pending', 1, null],
  );
  assert.deepEqual(replayed.attempts, before!.attempts);
  assert(replayed.next_attempt_at !== null);
  held.resolve();
  await waitUntil(async () => (await listed(accountId, 'delivered')).length === 1);
  const [after] = await listed(accountId, 'delivered');
  assert.deepEqual(pluck(after!.attempts, 'number', 'round'), [
    [2, 2],
    [1, 1],
  ]);
  assert.deepEqual(pluck(await service.auditLog(before!.id), 'action'), ['delivery.replay']);
  for (const unknown of ['x', '%00', 'msg_00000000000000000000000000', 'a'.repeat(3000)]) {
    assertApiError(await post(`/admin/deliveries/${unknown}/replay`), 'not_found');
  }
});

describe('a test webhook', () => {
  const sendTestWebhook = async (accountId: string, url: string) =>
    await post(`/admin/accounts/${accountId}/deliveries/test`, { url });

  test('arrives signed, with the fields of a real one, and is not stored', async () => {
    const { receiver, service } = journey;
    receiver.onWebhook((_call, response) => void response.writeHead(202).end('taken'));
    const account = await service.account();
    const from = receiver.webhooks.length;
    const { status, body } = await sendTestWebhook(account.id, receiver.url);
    assert.equal(status, 200, JSON.stringify(body));
    const response = TestWebhookResponse.parse(body);
    assert.deepEqual(
      [response.answer_status, response.answer_body, response.error],
      [202, 'taken', null],
    );
    const call = receiver.webhooks[from]!;
    assert.equal(call.raw, response.body);
    assert.equal(call.headers['webhook-id'], response.id);
    const signature = response.request_headers['webhook-signature'];
    assert.equal(call.headers['webhook-signature'], signature);
    assert.match(response.id, /^msg_test_[0-9a-f]{24}$/);
    new Webhook(account.webhookSecret).verify(call.raw, call.headers as Record<string, string>);
    const { id } = CompletionPayload.parse(call.body);
    assert.equal((await account.client.get(`/v1/tasks/${id}`)).status, 404);
    for (const kind of ['pending', 'delivered', 'exhausted']) {
      assert.deepEqual(await listed(account.id, kind), []);
    }
    const second = TestWebhookResponse.parse(
      (await sendTestWebhook(account.id, receiver.url)).body,
    );
    assert.notEqual(second.id, response.id);
    assert.notEqual(JSON.parse(second.body).id, id);
  });

  test('checks URLs like the callback URLs of tasks', async () => {
    const { id } = await journey.service.account();
    for (const url of ['ftp://example.com', 'https://10.0.0.1/hook', 'https://a:b@example.com']) {
      assertApiError(await sendTestWebhook(id, url), 'invalid_request', /^url must/);
    }
    assertApiError(
      await sendTestWebhook('00000000-0000-4000-8000-000000000000', 'https://a.test'),
      'not_found',
    );
  });

  test('allows ten per minute and account', async () => {
    const { receiver, service } = journey;
    const busy = await service.account();
    const other = await service.account();
    for (let count = 0; count < 10; count++) {
      assert.equal((await sendTestWebhook(busy.id, receiver.url)).status, 200);
    }
    const from = receiver.webhooks.length;
    assertApiError(
      await sendTestWebhook(busy.id, receiver.url),
      'rate_limited',
      /^Limit of 10 test webhooks per minute and account exceeded;/,
    );
    assert.equal(receiver.webhooks.length, from);
    assert.equal((await sendTestWebhook(other.id, receiver.url)).status, 200);
  });
});

describe('a replay of all that failed', () => {
  const replay = async (accountId: string, since: string | number, mode?: string) =>
    await post(`/admin/accounts/${accountId}/deliveries/replay`, { since, mode });

  test('sends all exhausted deliveries since then, of this account only', async () => {
    const { receiver, service } = journey;
    receiver.onWebhook((_call, response) => void response.writeHead(500).end());
    const account = await service.account({ live: 100 });
    const other = await service.account({ live: 100 });
    const create = { ...textToVideo, callback_url: receiver.url };
    for (let count = 0; count < 4; count++) await account.client.create(create);
    await other.client.create(create);
    await waitUntil(async () => (await listed(account.id, 'exhausted')).length === 4);
    await waitUntil(async () => (await listed(other.id, 'exhausted')).length === 1);
    const [old] = await listed(account.id, 'exhausted');
    await service.db.query(
      `update deliveries set created_at = created_at - interval '2 days' where id = $1`,
      [old!.id],
    );
    receiver.onWebhook((_call, response) => void response.writeHead(200).end());
    const since = Math.floor(Date.now() / 1000) - 86_400;
    assert.deepEqual((await replay(account.id, since, 'test')).body, { replayed: 0 });
    const { status, body } = await replay(account.id, since, 'live');
    assert.deepEqual([status, ReplayFailedResponse.parse(body)], [202, { replayed: 3 }]);
    await waitUntil(async () => (await listed(account.id, 'delivered')).length === 3);
    assert.deepEqual(pluck(await listed(account.id, 'exhausted'), 'id'), [old!.id]);
    assert.equal((await listed(other.id, 'exhausted')).length, 1);
    const [action] = await service.auditLog(account.id);
    assert.deepEqual([action!.action, action!.detail.replayed], ['deliveries.replay', 3]);
    assert.deepEqual((await replay(account.id, since)).body, { replayed: 0 });
  });
});

/** Of a task that no worker takes. */
async function newDelivery() {
  await journey.service.parts.worker?.stop();
  const account = await journey.service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const taskId = body.taskId as string;
  const url = 'http://127.0.0.1:9/hook';
  const [delivery] = await journey.service.db.transaction((tx) =>
    insertDeliveries(tx, [{ accountId: account.id, taskId, mode: 'live', url, body: '{}' }]),
  );
  return { accountId: account.id, id: delivery!.id };
}

test('an account has sixty replays an hour, single ones and of all that failed', async () => {
  const [{ accountId, id }, other] = [await newDelivery(), await newDelivery()];
  const replay = (deliveryId: string) =>
    journey.service.admin.post(`/admin/deliveries/${deliveryId}/replay`);
  const responses = await Promise.all(Array.from({ length: 59 }, () => replay(id)));
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [202]);
  const since = { since: '2020-01-01T00:00:00Z' };
  const all = `/admin/accounts/${accountId}/deliveries/replay`;
  assert.equal((await journey.service.admin.post(all, since)).status, 202);
  const { retry_after } = assertApiError(await replay(id), 'rate_limited');
  assert(retry_after! > 3500 && retry_after! <= 3600, String(retry_after));
  assertApiError(await journey.service.admin.post(all, since), 'rate_limited');
  const { rows } = await journey.service.db.query<{ round: number }>(
    'select round from deliveries where id = $1',
    [id],
  );
  assert.equal(rows[0]!.round, 60, 'the rejected replay began no round');
  assert.equal((await replay(other.id)).status, 202);
});

test('a delivery shows its newest attempts, and has all of them in pages', async () => {
  const { accountId, id } = await newDelivery();
  await journey.service.db.query(
    `insert into call_attempts (delivery_id, number, round, started_at, duration_ms, error)
     select $1, n, n, now(), 5, 'connect' from generate_series(1, 130) as n`,
    [id],
  );
  const { body } = await journey.service.admin.get(`/admin/accounts/${accountId}/deliveries`);
  const [newest] = ListDeliveriesResponse.parse(body).items;
  const numbers = (items: readonly { number: number }[]) => items.map(({ number }) => number);
  const down = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, at) => from - at);
  assert.deepEqual(numbers(newest!.attempts), down(130, 111));
  const path = `/admin/deliveries/${id}/attempts?limit=100`;
  const read = async (from: string) =>
    ListAttemptsResponse.parse((await journey.service.admin.get(from)).body);
  const first = await read(path);
  assert.deepEqual(numbers(first.items), down(130, 31));
  const cursor = first.next_cursor!;
  const second = await read(`${path}&cursor=${cursor}`);
  assert.deepEqual([numbers(second.items), second.next_cursor], [down(30, 1), null]);
  assertApiError(await journey.service.admin.get(`${path}&cursor=x`), 'invalid_request');
});
