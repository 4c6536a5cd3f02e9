/** Rejected requests reserve nothing, and the response says what to do. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ErrorResponse } from '@vidgen/contract/error-response.ts';
import { balanceOf, startJourney, textToVideo } from '../kit/journey.ts';

const journey = await startJourney({ environment: { VIDGEN_RATE_CREATE: '70' } });
after(() => journey.close());

test('insufficient credits: 402 with both numbers, and no task', async () => {
  const { service } = journey;
  const account = await service.account({ live: 4 });
  const response = await account.client.create(textToVideo);
  assert.equal(response.status, 402);
  const { error } = ErrorResponse.parse(response.body);
  assert.deepEqual(
    { ...error, message: '' },
    { code: 'insufficient_credits', message: '', required: 5, available: 4 },
  );
  assert.deepEqual((await account.client.get('/v1/tasks')).body.items, []);
  await service.assertInvariants();
});

test('64 parallel creates with credits for 10: 10 accepted, 54 rejected with 402', async () => {
  const { service } = journey;
  const account = await service.account({ live: 52 });
  const responses = await Promise.all(
    Array.from({ length: 64 }, () => account.client.create(textToVideo)),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 10);
  const rejected = responses.filter(({ status }) => status === 402);
  assert.equal(rejected.length, 54);
  for (const { body } of rejected) {
    const { required, available } = ErrorResponse.parse(body).error;
    assert.deepEqual({ required, available }, { required: 5, available: 2 });
  }
  await service.assertInvariants();
});

test('requests beyond the rate limit: 429 with Retry-After and headers', async () => {
  const { service } = journey;
  const account = await service.account({ live: 1000 });
  const responses = await Promise.all(
    Array.from({ length: 75 }, () => account.client.create(textToVideo)),
  );
  const limited = responses.filter(({ status }) => status === 429);
  assert.equal(limited.length, 5);
  for (const { headers, body } of limited) {
    const { error } = ErrorResponse.parse(body);
    assert.equal(error.code, 'rate_limited');
    assert.equal(headers.get('retry-after'), String(error.retry_after));
    assert.ok(error.retry_after! >= 1 && error.retry_after! <= 60);
    assert.equal(headers.get('x-ratelimit-limit'), '70');
    assert.equal(headers.get('x-ratelimit-remaining'), '0');
  }
});

test('a revoked key: 401 at once in the process that revoked it', async () => {
  const { service } = journey;
  const account = await service.account({ live: 10 });
  assert.equal((await account.client.get('/v1/credits')).status, 200);
  assert.equal((await service.admin.send('DELETE', `/admin/keys/${account.keyId}`)).status, 204);
  const response = await account.client.get('/v1/credits');
  assert.equal(response.status, 401);
  assert.equal(ErrorResponse.parse(response.body).error.code, 'invalid_api_key');
});

test('a key without the permission: 403 that names the permission', async () => {
  const account = await journey.service.account({ live: 10, permissions: ['tasks:read'] });
  const response = await account.client.create(textToVideo);
  assert.equal(response.status, 403);
  assert.match(ErrorResponse.parse(response.body).error.message, /videos:create/);
});

test('another account’s task: 404, the same as an unknown task', async () => {
  const { service } = journey;
  const owner = await service.account({ live: 10 });
  const other = await service.account();
  const { body } = await owner.client.create(textToVideo);
  for (const path of [
    `/v1/tasks/${body.taskId}`,
    '/v1/tasks/task_00000000000000000000000000',
    '/v1/tasks/x',
  ]) {
    const response = await other.client.get(path);
    assert.equal(response.status, 404);
    assert.equal(ErrorResponse.parse(response.body).error.code, 'not_found');
  }
  assert.equal((await other.client.post(`/v1/tasks/${body.taskId}/cancel`)).status, 404);
});

test('the refund of a closed account is suspended, then settled by an admin', async () => {
  const { receiver } = journey;
  await using failing = await startJourney({
    script: { status: [{ outcome: 'pending', pollAfterSeconds: 0.3 }, 'failed'] },
  });
  const account = await failing.service.account({ live: 100 });
  const { body } = await account.client.create({ ...textToVideo, callback_url: receiver.url });
  await failing.service.admin.post(`/admin/accounts/${account.id}/close`);
  assert.equal((await account.client.get('/v1/credits')).status, 401);
  const webhook = (await receiver.waitForWebhooks(receiver.webhooks.length + 1)).at(-1)!;
  assert.deepEqual(webhook.body.data, { failed_reason: 'provider_failed', credits_refunded: 0 });
  const balance = await balanceOf(failing.service, account.id);
  assert.deepEqual(balance.live, { available: 95, reserved: 0, suspended: 5 });
  await failing.service.assertInvariants();

  const { body: queue } = await failing.service.admin.get('/admin/tasks?refund=waiting');
  assert.equal((queue.items as { id: string }[])[0]?.id, body.taskId);
  const settle = () =>
    failing.service.admin.post(`/admin/tasks/${body.taskId}/settle-refund`, {
      outcome: 'refunded',
      note: 'paid back',
    });
  const settled = await settle();
  assert.equal(settled.status, 200);
  assert.equal(settled.body.billing_status, 'refunded');
  assert.deepEqual((await balanceOf(failing.service, account.id)).live, {
    available: 100,
    reserved: 0,
    suspended: 0,
  });
  assert.equal((await settle()).status, 400);
  await failing.service.assertInvariants();
});
