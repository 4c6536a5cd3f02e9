/** Accounts over HTTP: created, changed, limited and closed, with names that clients rely on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LimitsUse } from '@vidgen/contract/account-controls.ts';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { newMember } from '../../../proof/kit/people.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';
import { webhookSecrets } from '../../accounts/account.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

const { post, send } = service.admin;
const patch = (id: string, body: object) => send('PATCH', `/admin/accounts/${id}`, body);
const account = async (id: string) =>
  Account.parse((await service.admin.get(`/admin/accounts/${id}`)).body);

describe('a new account', () => {
  test('has a secret, and no credits in either mode', async () => {
    const { status, body } = await post('/admin/accounts', { name: '  Paper Boat ' });
    assert.equal(status, 201);
    const { id, name, webhook_secret, balance, closed_at, demo } = Account.parse(body);
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(String(webhook_secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    const none = { available: 0, reserved: 0, suspended: 0 };
    assert.deepEqual(
      { name, balance, closed_at, demo },
      { name: 'Paper Boat', balance: { live: none, test: none }, closed_at: null, demo: false },
    );
    assert.deepEqual((await service.admin.get(`/admin/accounts/${id}`)).body, body);
    assert.deepEqual((await service.admin.get(`/admin/accounts/${id.toUpperCase()}`)).body, body);
    assert.deepEqual(pluck(await service.auditLog(id), 'action', 'actor'), [
      ['account.create', 'admin token'],
    ]);
  });

  test('needs a printable name of at most 200 characters', async () => {
    const bad: [unknown, string][] = [
      [{}, 'name is required'],
      [{ name: 5 }, 'name must be a string (got 5)'],
      [{ name: ' ' }, 'name must not be empty (got " ")'],
      [{ name: 'a\0' }, 'name must be valid Unicode without NUL (got "a\\u0000")'],
      [{ name: 'a\u0007b' }, 'name must be 1 to 200 printable characters'],
      [{ name: 'x', nmae: 'y' }, 'nmae is not a known field, did you mean name?'],
    ];
    for (const [body, message] of bad) {
      assertApiError(await post('/admin/accounts', body), 'invalid_request', message);
    }
  });
});

describe('a change', () => {
  test('changes the fields that are sent, and logs each kind of change', async () => {
    const { id } = await service.account({ name: 'Before' });
    const all = { name: ' Boats ', creates_per_minute: 7, running_max: 2, low_balance: 50 };
    const { status, body } = await patch(id, all);
    assert.equal(status, 200);
    const limits = { creates_per_minute: 7, running_tasks: 2 };
    assert.deepEqual([body.name, body.limits], ['Boats', limits]);
    const alert = async () => (await service.admin.get(`/admin/accounts/${id}/balance-alert`)).body;
    assert.deepEqual(await alert(), { threshold: 50 });
    const { body: changed } = await patch(id, { running_max: null, low_balance: null });
    assert.deepEqual([changed.name, changed.limits], ['Boats', { ...limits, running_tasks: null }]);
    assert.deepEqual(await alert(), { threshold: null });
    assert.equal((await patch(id, {})).status, 200);
    assert.deepEqual(pluck((await service.auditLog(id)).slice(0, 5), 'action', 'detail'), [
      ['balance_alert.set', { threshold: null }],
      ['limits.set', { running_tasks: null }],
      ['balance_alert.set', { threshold: 50 }],
      ['limits.set', limits],
      ['account.rename', { name: 'Boats', previous_name: 'Before' }],
    ]);
  });

  test('of an owner is the name and the balance alert, and nothing else', async () => {
    const { id } = await service.account({ name: 'Before' });
    const owner = await newMember(service, { accountId: id, role: 'owner' });
    const path = `/admin/accounts/${id}`;
    const fields = { creates_per_minute: 0, running_max: null };
    for (const [field, value] of Object.entries(fields)) {
      const response = await owner.send('PATCH', path, { name: 'Mine', [field]: value });
      assertApiError(response, 'forbidden', /^Owners can change name and low_balance only/);
    }
    assert.equal((await account(id)).name, 'Before');
    assert.deepEqual((await owner.get(`${path}/balance-alert`)).body, { threshold: null });
    assert.equal((await owner.send('PATCH', path, { name: 'Mine', low_balance: 5 })).status, 200);
    assert.equal((await account(id)).name, 'Mine');
    assert.deepEqual((await owner.get(`${path}/balance-alert`)).body, { threshold: 5 });
    assert.equal((await service.auditLog(id))[0]?.actor, owner.email);
  });

  test('of an erased account is rejected', async () => {
    const { id } = await service.account({ name: 'Gone' });
    await post(`/admin/accounts/${id}/erase`, { name: 'Gone' });
    const renamed = await patch(id, { name: 'Back' });
    assertApiError(renamed, 'invalid_request', 'The account is erased and has no name.');
    const suspended = await post(`/admin/accounts/${id}/suspend`, { note: 'x' });
    assertApiError(suspended, 'invalid_request', 'The account is closed for good already.');
  });
});

describe('a limit', () => {
  const use = async (id: string) =>
    LimitsUse.parse((await service.admin.get(`/admin/accounts/${id}/limits`)).body);

  test('of creates per minute is over all keys, and shows its use', async () => {
    const { id, client } = await service.account({ live: 1000 });
    await patch(id, { creates_per_minute: 3 });
    for (let sent = 0; sent < 3; sent++) {
      assert.equal((await client.create(textToVideo)).status, 200);
    }
    const refused = await client.create(textToVideo);
    assertApiError(refused, 'rate_limited', /^Rate limit of 3 create requests of this account per/);
    assert.deepEqual((await use(id)).creates_per_minute, { limit: 3, used: 3 });
    await patch(id, { creates_per_minute: null });
    assert.equal((await client.create(textToVideo)).status, 200);
    assert.equal((await use(id)).creates_per_minute.limit, 1000);
  });
});

describe('a closed account', () => {
  test('rejects keys, bookings and new keys, and keeps its history', async () => {
    const { id, client } = await service.account({ live: 100 });
    const grant = { amount: 1, mode: 'live', note: 'n', reference: 'before' };
    const booked = await post(`/admin/accounts/${id}/credits`, grant);
    await client.create(textToVideo);
    const { status, body } = await post(`/admin/accounts/${id}/close`);
    assert.equal(status, 200);
    const { closed_at, balance } = Account.parse(body);
    assert(closed_at !== null);
    assert.deepEqual(balance.live, { available: 96, reserved: 5, suspended: 0 });
    const rejection = /^The account of this API key is closed; ask /;
    assertApiError(await client.get('/v1/credits'), 'invalid_api_key', rejection);
    assertApiError(await client.create(textToVideo), 'invalid_api_key', rejection);

    const book = (changes: object) =>
      post(`/admin/accounts/${id}/credits`, { ...grant, ...changes });
    const closed = 'The account is closed; credits cannot be';
    assertApiError(await book({ reference: 'late' }), 'invalid_request', `${closed} added.`);
    const correction = await book({ amount: -1, reference: 'fix' });
    assertApiError(correction, 'invalid_request', `${closed} deducted.`);
    const again = await book({});
    assert.deepEqual([again.status, again.body], [201, booked.body], 'was booked before');
    const key = await post(`/admin/accounts/${id}/keys`, { name: 'K', mode: 'live' });
    assertApiError(key, 'invalid_request', 'The account is closed; keys cannot be created.');
    for (const list of ['tasks', 'ledger', 'keys', 'deliveries']) {
      assert.equal((await service.admin.get(`/admin/accounts/${id}/${list}`)).status, 200);
    }
    assert.equal((await service.auditLog(id))[0]?.action, 'account.close');
  });
});

test('a new webhook secret signs at once; the old one also signs for a day', async () => {
  const { id, webhookSecret } = await service.account();
  const { status, body } = await post(`/admin/accounts/${id}/webhook-secret`);
  assert.equal(status, 200);
  const rotated = Account.parse(body).webhook_secret;
  assert.notEqual(rotated, webhookSecret);
  assert.deepEqual(await webhookSecrets(service.db, id), [rotated, webhookSecret]);
  const { rows } = await service.db.query<{ hours: number }>(
    `select round(extract(epoch from previous_secret_until - now()) / 3600)::float8 as hours
       from accounts where id = $1`,
    [id],
  );
  assert.equal(rows[0]?.hours, 24);
  await service.db.query(`update accounts set previous_secret_until = now() where id = $1`, [id]);
  assert.deepEqual(await webhookSecrets(service.db, id), [rotated]);
  const leaked = await post(`/admin/accounts/${id}/webhook-secret`, { keep_previous_seconds: 0 });
  const { webhook_secret } = Account.parse(leaked.body);
  assert.deepEqual(await webhookSecrets(service.db, id), [webhook_secret]);
  const [entry] = await service.auditLog(id);
  assert.deepEqual(
    [entry?.action, entry?.detail],
    ['webhook_secret.rotate', { keep_previous_seconds: 0 }],
  );
});
