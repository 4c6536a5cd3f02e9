/** Replays are bounded per account, and a delivery with many attempts is listed in pages. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Delivery, ListAttemptsResponse } from '@vidgen/contract/admin-tasks.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { startService } from '../../../proof/kit/service.ts';
import { insertDeliveries } from '../../webhooks/delivery.ts';

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
});
after(() => service.close());

async function newDelivery() {
  const account = await service.account({ live: 100 });
  const { body } = await account.client.create(textToVideo);
  const taskId = body.taskId as string;
  const url = 'http://127.0.0.1:9/hook';
  const [delivery] = await service.db.transaction((tx) =>
    insertDeliveries(tx, [{ accountId: account.id, taskId, mode: 'live', url, body: '{}' }]),
  );
  return { accountId: account.id, id: delivery!.id };
}

test('an account has sixty replays an hour, single ones and of all that failed', async () => {
  const [{ accountId, id }, other] = [await newDelivery(), await newDelivery()];
  const replay = (deliveryId: string) =>
    service.admin.post(`/admin/deliveries/${deliveryId}/replay`);
  const responses = await Promise.all(Array.from({ length: 59 }, () => replay(id)));
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [202]);
  const since = { since: '2020-01-01T00:00:00Z' };
  const all = `/admin/accounts/${accountId}/deliveries/replay`;
  assert.equal((await service.admin.post(all, since)).status, 202);
  const { retry_after } = assertApiError(await replay(id), 'rate_limited');
  assert(retry_after! > 3500 && retry_after! <= 3600, String(retry_after));
  assertApiError(await service.admin.post(all, since), 'rate_limited');
  const { rows } = await service.db.query<{ round: number }>(
    'select round from deliveries where id = $1',
    [id],
  );
  assert.equal(rows[0]!.round, 60, 'the rejected replay began no round');
  assert.equal((await replay(other.id)).status, 202);
});

test('a delivery shows its newest attempts, and has all of them in pages', async () => {
  const { accountId, id } = await newDelivery();
  await service.db.query(
    `insert into call_attempts (delivery_id, number, round, started_at, duration_ms, error)
     select $1, n, n, now(), 5, 'connect' from generate_series(1, 130) as n`,
    [id],
  );
  const { body } = await service.admin.get(`/admin/accounts/${accountId}/deliveries`);
  const [listed] = body.items as Delivery[];
  const numbers = (items: readonly { number: number }[]) => items.map(({ number }) => number);
  const down = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, at) => from - at);
  assert.deepEqual(numbers(listed!.attempts), down(130, 111));
  const path = `/admin/deliveries/${id}/attempts?limit=100`;
  const first = (await service.admin.get(path)).body as unknown as ListAttemptsResponse;
  assert.deepEqual(numbers(first.items), down(130, 31));
  const cursor = first.next_cursor!;
  const second = (await service.admin.get(`${path}&cursor=${cursor}`))
    .body as unknown as ListAttemptsResponse;
  assert.deepEqual([numbers(second.items), second.next_cursor], [down(30, 1), null]);
  assertApiError(await service.admin.get(`${path}&cursor=x`), 'invalid_request');
});
