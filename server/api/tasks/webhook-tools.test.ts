/** A test webhook is signed like a real one; exhausted deliveries are all sent again. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { CompletionPayload } from '@vidgen/contract/webhook-payload.ts';
import { ReplayFailedResponse, TestWebhookResponse } from '@vidgen/contract/webhook-tools.ts';
import { Webhook } from 'svix';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';

const journey = await startJourney({ environment: { VIDGEN_WEBHOOK_RETRIES: '10ms' } });
after(() => journey.close());

const post = (path: string, body?: unknown) => journey.service.admin.post(path, body);
const deliveriesOf = async (accountId: string, status: string) => {
  const { body } = await journey.service.admin.get(
    `/admin/accounts/${accountId}/deliveries?status=${status}&limit=100`,
  );
  return body.items as { id: string; task_id: string }[];
};
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('POST /admin/accounts/:id/deliveries/test', () => {
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
    assert.match(response.id, /^msg_test_[0-9a-f]{24}$/);
    new Webhook(account.webhookSecret).verify(call.raw, call.headers as Record<string, string>);
    const { id } = CompletionPayload.parse(call.body);
    assert.equal((await account.client.get(`/v1/tasks/${id}`)).status, 404);
    for (const kind of ['pending', 'delivered', 'exhausted']) {
      assert.deepEqual(await deliveriesOf(account.id, kind), []);
    }
    const second = TestWebhookResponse.parse(
      (await sendTestWebhook(account.id, receiver.url)).body,
    );
    assert.notEqual(second.id, response.id);
    assert.notEqual(JSON.parse(second.body).id, id);
  });

  test('returns the receiver’s response, or why there was none', async () => {
    const { receiver, service } = journey;
    const { id } = await service.account();
    receiver.onWebhook((_call, response) => void response.writeHead(503).end('not today'));
    const down = TestWebhookResponse.parse((await sendTestWebhook(id, receiver.url)).body);
    assert.deepEqual([down.answer_status, down.answer_body], [503, 'not today']);
    receiver.onWebhook((_call, response) => void response.socket?.destroy());
    const closed = TestWebhookResponse.parse((await sendTestWebhook(id, receiver.url)).body);
    assert.deepEqual([closed.answer_status, closed.error], [null, 'closed']);
    receiver.onWebhook((_call, response) => void response.writeHead(200).end());
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
    const [busy, other] = [await service.account(), await service.account()];
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

describe('POST /admin/accounts/:id/deliveries/replay', () => {
  const replay = async (accountId: string, since: string | number) =>
    await post(`/admin/accounts/${accountId}/deliveries/replay`, { since });

  test('sends all exhausted deliveries since then, of this account only', async () => {
    const { receiver, service } = journey;
    receiver.onWebhook((_call, response) => void response.writeHead(500).end());
    const [account, other] = [
      await service.account({ live: 100 }),
      await service.account({ live: 100 }),
    ];
    const create = { ...textToVideo, callback_url: receiver.url };
    for (let count = 0; count < 4; count++) await account.client.create(create);
    await other.client.create(create);
    await until(async () => (await deliveriesOf(account.id, 'exhausted')).length === 4);
    await until(async () => (await deliveriesOf(other.id, 'exhausted')).length === 1);
    const [old] = await deliveriesOf(account.id, 'exhausted');
    await service.db.query(
      `update deliveries set created_at = created_at - interval '2 days' where id = $1`,
      [old!.id],
    );
    receiver.onWebhook((_call, response) => void response.writeHead(200).end());
    const since = Math.floor(Date.now() / 1000) - 86_400;
    const { status, body } = await replay(account.id, since);
    assert.deepEqual([status, ReplayFailedResponse.parse(body)], [202, { replayed: 3 }]);
    await until(async () => (await deliveriesOf(account.id, 'delivered')).length === 3);
    assert.deepEqual(pluck(await deliveriesOf(account.id, 'exhausted'), 'id'), [old!.id]);
    assert.equal((await deliveriesOf(other.id, 'exhausted')).length, 1);
    const { body: log } = await service.admin.get(`/admin/audit-log?subject=${account.id}`);
    const [action] = log.items as { action: string; detail: { replayed: number } }[];
    assert.deepEqual([action!.action, action!.detail.replayed], ['deliveries.replay', 3]);
    assert.deepEqual((await replay(account.id, since)).body, { replayed: 0 });
    await service.assertInvariants();
  });

  test('returns 400 for an invalid time', async () => {
    const { id } = await journey.service.account();
    assertApiError(
      await replay(id, 'yesterday'),
      'invalid_request',
      /^since must be Unix seconds or an ISO 8601 time with a zone/,
    );
  });
});
