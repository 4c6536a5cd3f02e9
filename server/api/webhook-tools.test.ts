/**
 * A test call is as genuine as a real one; what was given up is made again, all of it.
 * One engine: what is written is tested on both in `webhooks/`.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CompletionCall } from '@vidgen/contract/webhook-call.ts';
import { ReplayFailedAnswer, TestCallAnswer } from '@vidgen/contract/webhook-tools.ts';
import { Webhook } from 'svix';
import { type Journey, startJourney, textToVideo } from '../../proof/kit/journey.ts';
import { refused } from '../../proof/kit/refused.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney({ environment: { VIDGEN_WEBHOOK_RETRIES: '10ms' } });
});
after(() => journey.close());

const post = (path: string, body?: unknown) => journey.service.admin.post(path, body);
const deliveriesOf = async (accountId: string, status: string) => {
  const { body } = await journey.service.admin.get(
    `/admin/accounts/${accountId}/deliveries?status=${status}&limit=100`,
  );
  return body.items as { id: string; task_id: string }[];
};
async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('POST /admin/accounts/:id/deliveries/test', () => {
  const testCall = async (accountId: string, url: string) =>
    await post(`/admin/accounts/${accountId}/deliveries/test`, { url });

  test('arrives signed, with the fields of a real one, and is kept nowhere', async () => {
    const { receiver, service } = journey;
    receiver.react((_call, answer) => void answer.writeHead(202).end('taken'));
    const account = await service.account();
    const from = receiver.calls.length;
    const { status, body } = await testCall(account.id, receiver.url);
    assert.equal(status, 200, JSON.stringify(body));
    const answer = TestCallAnswer.parse(body);
    assert.deepEqual(
      [answer.answer_status, answer.answer_body, answer.error],
      [202, 'taken', null],
    );
    const call = receiver.calls[from]!;
    assert.equal(call.raw, answer.body);
    assert.equal(call.headers['webhook-id'], answer.id);
    assert.match(answer.id, /^msg_test_[0-9a-f]{24}$/);
    new Webhook(account.webhookSecret).verify(call.raw, call.headers as Record<string, string>);
    const { id } = CompletionCall.parse(call.body);
    assert.equal((await account.client.get(`/v1/tasks/${id}`)).status, 404);
    for (const kind of ['pending', 'delivered', 'exhausted']) {
      assert.deepEqual(await deliveriesOf(account.id, kind), []);
    }
    const second = TestCallAnswer.parse((await testCall(account.id, receiver.url)).body);
    assert.notEqual(second.id, answer.id);
    assert.notEqual(JSON.parse(second.body).id, id);
  });

  test('says what the receiver answered, whatever it was, or why it did not', async () => {
    const { receiver, service } = journey;
    const { id } = await service.account();
    receiver.react((_call, answer) => void answer.writeHead(503).end('not today'));
    const down = TestCallAnswer.parse((await testCall(id, receiver.url)).body);
    assert.deepEqual([down.answer_status, down.answer_body], [503, 'not today']);
    receiver.react((_call, answer) => void answer.socket?.destroy());
    const gone = TestCallAnswer.parse((await testCall(id, receiver.url)).body);
    assert.deepEqual([gone.answer_status, gone.error], [null, 'closed']);
    receiver.react((_call, answer) => void answer.writeHead(200).end());
  });

  test('addresses are judged as those of tasks are', async () => {
    const { id } = await journey.service.account();
    for (const url of ['ftp://example.com', 'https://10.0.0.1/hook', 'https://a:b@example.com']) {
      const { message } = refused(await testCall(id, url), 'invalid_request');
      assert.match(message, /^url must/);
    }
    refused(await testCall('00000000-0000-4000-8000-000000000000', 'https://a.test'), 'not_found');
  });

  test('ten a minute an account', async () => {
    const { receiver, service } = journey;
    const [busy, other] = [await service.account(), await service.account()];
    for (let count = 0; count < 10; count++) {
      assert.equal((await testCall(busy.id, receiver.url)).status, 200);
    }
    const from = receiver.calls.length;
    const { message } = refused(await testCall(busy.id, receiver.url), 'rate_limited');
    assert.match(message, /^An account may have 10 test calls a minute/);
    assert.equal(receiver.calls.length, from);
    assert.equal((await testCall(other.id, receiver.url)).status, 200);
  });
});

describe('POST /admin/accounts/:id/deliveries/replay', () => {
  const replay = async (accountId: string, since: string | number) =>
    await post(`/admin/accounts/${accountId}/deliveries/replay`, { since });

  test('all that were given up since then, of this account, and nothing else', async () => {
    const { receiver, service } = journey;
    receiver.react((_call, answer) => void answer.writeHead(500).end());
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
    receiver.react((_call, answer) => void answer.writeHead(200).end());
    const since = Math.floor(Date.now() / 1000) - 86_400;
    const { status, body } = await replay(account.id, since);
    assert.deepEqual([status, ReplayFailedAnswer.parse(body)], [202, { replayed: 3 }]);
    await until(async () => (await deliveriesOf(account.id, 'delivered')).length === 3);
    assert.deepEqual(
      (await deliveriesOf(account.id, 'exhausted')).map(({ id }) => id),
      [old!.id],
    );
    assert.equal((await deliveriesOf(other.id, 'exhausted')).length, 1);
    const { body: log } = await service.admin.get(`/admin/audit-log?subject=${account.id}`);
    const [action] = log.items as { action: string; detail: { replayed: number } }[];
    assert.deepEqual([action!.action, action!.detail.replayed], ['deliveries.replay', 3]);
    assert.deepEqual((await replay(account.id, since)).body, { replayed: 0 });
    await service.auditClean();
  });

  test('400 for a moment that is none', async () => {
    const { id } = await journey.service.account();
    const { message } = refused(await replay(id, 'yesterday'), 'invalid_request');
    assert.match(message, /^since must be Unix seconds or an ISO 8601 time with a zone/);
  });
});
