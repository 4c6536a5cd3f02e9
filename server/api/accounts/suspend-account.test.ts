/**
 * A suspended account: keys are rejected in every process, members read, running tasks end as
 * usual, and resuming restores everything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import { openKeyCache } from '../../accounts/keys/key-cache.ts';
import { openPostgres } from '../../database/postgres.ts';

const message =
  'The account of this API key is suspended; ask the administrator of this service to resume it.';

/** A task of the provider completes when the test says so. */
const completion = Promise.withResolvers<void>();
const status = [{ step: 'completed', until: completion.promise } as const];
const journey = await useJourney({ script: { status } });

const post = (path: string, body?: unknown) => journey.service.admin.post(path, body);
const suspend = async (id: string) =>
  Account.parse((await post(`/admin/accounts/${id}/suspend`, { note: 'Overdue' })).body);

test('every request with one of its keys is 401, and says why', async () => {
  const { id, client } = await journey.service.account({ live: 100 });
  const { suspended_at, suspension_note, balance } = await suspend(id);
  assert(suspended_at !== null);
  assert.equal(suspension_note, 'Overdue');
  assert.equal(balance.live.available, 100);
  assertApiError(await client.create(textToVideo), 'invalid_api_key', message);
  assertApiError(await client.get('/v1/credits'), 'invalid_api_key', message);
  assertApiError(await client.get('/v1/tasks'), 'invalid_api_key', message);
  assertApiError(await client.post('/v1/files', {}), 'invalid_api_key', message);
});

test('another process rejects the keys, and accepts them again', async () => {
  const { service } = journey;
  const { id, key } = await service.account();
  const db = await openPostgres(service.databaseUrl);
  const told = await openKeyCache(db, { pepper: keyPepper(service.parts.secret) });
  try {
    assert.equal((await told.verify(key))?.accountId, id);
    await suspend(id);
    const error = await waitUntil(async () =>
      told.verify(key).then(
        () => null,
        (thrown: Error) => thrown,
      ),
    );
    assert.equal(error.message, message);
    await post(`/admin/accounts/${id}/resume`);
    await waitUntil(async () => (await told.verify(key).catch(() => null))?.accountId === id);
  } finally {
    await told.close();
    await db.close();
  }
});

test('members read and create nothing; the admin token creates nothing either', async () => {
  const { service } = journey;
  const { id } = await service.account({ live: 100 });
  const owner = await newMember(service, { accountId: id, role: 'owner' });
  await suspend(id);
  const account = Account.parse((await owner.get(`/admin/accounts/${id}`)).body);
  assert(account.suspended_at !== null);
  assert.equal(account.suspension_note, null);
  for (const list of ['tasks', 'ledger', 'keys', 'deliveries', 'limits', 'usage?mode=live']) {
    assert.equal((await owner.get(`/admin/accounts/${id}/${list}`)).status, 200, list);
  }
  const creates: [string, unknown][] = [
    ['keys', { name: 'K', mode: 'live' }],
    ['generations?mode=live', textToVideo],
    ['logins', { code: 'BCDF-GHJK', mode: 'live' }],
    ['deliveries/test', { url: journey.receiver.url }],
    ['uploads', undefined],
  ];
  for (const [path, body] of creates) {
    for (const sender of [owner, service.admin]) {
      const response = await sender.post(`/admin/accounts/${id}/${path}`, body);
      assertApiError(response, 'forbidden', /^This account is suspended and accepts nothing new;/);
    }
  }
  const estimate = await owner.post(
    `/admin/accounts/${id}/generations/estimate?mode=live`,
    textToVideo,
  );
  assert.equal(estimate.status, 200);
});

test('a running task ends, is charged and reported, and its result URL works', async () => {
  const { service, receiver } = journey;
  const { id, client } = await service.account({ live: 100 });
  const request = { ...textToVideo, callback_url: receiver.url };
  const { body } = await client.create(request);
  const taskId = body.taskId as string;
  // Until it is final: the first change, to `generating`, may come before the suspension.
  const waiting = client.get(`/v1/tasks/${taskId}?wait=30&until=final`);
  await suspend(id);
  assertApiError(await waiting, 'invalid_api_key', message);
  completion.resolve();
  const [webhook] = await receiver.waitForWebhooks(1);
  assert.equal(webhook?.body.status, 'completed');
  const task = (await service.admin.get(`/admin/tasks/${taskId}`)).body;
  assert.equal(task.billing_status, 'charged');
  const [url] = (task.data as { results: string[] }).results;
  assert.equal((await fetch(url!)).status, 200);
  assertApiError(await client.get(`/v1/tasks/${taskId}`), 'invalid_api_key', message);

  const { status, body: resumed } = await post(`/admin/accounts/${id}/resume`);
  assert.equal(status, 200);
  const { suspended_at, suspension_note } = Account.parse(resumed);
  assert.deepEqual([suspended_at, suspension_note], [null, null]);
  await waitUntil(async () => (await client.get('/v1/credits')).status === 200);
  assert.equal((await client.final(taskId)).status, 'completed');
  assert.equal((await client.create(textToVideo)).status, 200);
  await service.assertInvariants();
});

test('suspending again keeps the time and replaces the note, in the audit log too', async () => {
  const { id } = await journey.service.account();
  const first = await suspend(id);
  const { body } = await post(`/admin/accounts/${id}/suspend`, { note: 'Abuse' });
  const second = Account.parse(body);
  assert.equal(second.suspended_at, first.suspended_at);
  assert.equal(second.suspension_note, 'Abuse');
  const third = await post(`/admin/accounts/${id}/suspend`);
  assert.equal(third.body.suspension_note, 'Abuse', 'no note keeps it');
  await post(`/admin/accounts/${id}/resume`);
  await post(`/admin/accounts/${id}/resume`);
  const actions = pluck(await journey.service.auditLog(id), 'action', 'detail');
  assert.deepEqual(actions.slice(0, 5), [
    ['account.resume', {}],
    ['account.resume', {}],
    ['account.suspend', { note: null }],
    ['account.suspend', { note: 'Abuse' }],
    ['account.suspend', { note: 'Overdue' }],
  ]);
});
