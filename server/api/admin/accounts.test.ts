/** Accounts, credits and keys over HTTP, with the field names that clients rely on. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Account, ApiKey, CreatedApiKey, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { clientOf, startService } from '../../../proof/kit/service.ts';

const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
after(() => service.close());

const nowhere = '00000000-0000-4000-8000-000000000000';
/** IDs that do not exist, in every form. */
const noIds = [
  nowhere,
  'x',
  '%00',
  "'",
  'a'.repeat(300),
  'key_0000000000000000000000',
  '%2e%2e%2f',
];
const post = (path: string, body?: unknown) => service.admin.post(path, body);
const newAccount = async () => Account.parse((await post('/admin/accounts', { name: 'A' })).body);
const logOf = async (subject: string) => {
  const { body } = await service.admin.get(`/admin/audit-log?subject=${subject}`);
  return body.items as { action: string; actor: string; detail: Record<string, unknown> }[];
};

describe('accounts', () => {
  test('POST returns 201 with the secret and no credits in either mode', async () => {
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
    assert.deepEqual(pluck(await logOf(id), 'action', 'actor'), [
      ['account.create', 'admin token'],
    ]);
  });

  const bad: [unknown, string][] = [
    [{}, 'name is required'],
    [{ name: 5 }, 'name must be a string (got 5)'],
    [{ name: '' }, 'name must not be empty (got "")'],
    [{ name: ' ' }, 'name must not be empty (got " ")'],
    [{ name: 'a\0' }, 'name must be valid Unicode without NUL (got "a\\u0000")'],
    [{ name: 'a\u0007b' }, 'name must be 1 to 200 printable characters'],
    [
      { name: 'ha'.repeat(101) },
      `name must have at most 200 characters (got "${'ha'.repeat(19)}h…")`,
    ],
    [{ name: 'x', nmae: 'y' }, 'nmae is not a known field, did you mean name?'],
  ];
  for (const [body, message] of bad) {
    test(`400: ${message.slice(0, 50)}`, async () => {
      assertApiError(await post('/admin/accounts', body), 'invalid_request', message);
    });
  }

  test('returns 404 for an id that does not exist, on every path below it', async () => {
    for (const id of noIds) {
      for (const path of ['', '/tasks', '/ledger', '/keys', '/deliveries']) {
        assertApiError(await service.admin.get(`/admin/accounts/${id}${path}`), 'not_found');
      }
      const credits = { amount: 1, mode: 'live', note: 'n' };
      assertApiError(await post(`/admin/accounts/${id}/credits`, credits), 'not_found');
      assertApiError(
        await post(`/admin/accounts/${id}/keys`, { name: 'k', mode: 'live' }),
        'not_found',
      );
      assertApiError(await post(`/admin/accounts/${id}/close`), 'not_found');
      assertApiError(await post(`/admin/accounts/${id}/webhook-secret`), 'not_found');
    }
  });
});

describe('credits', () => {
  test('returns 201 with the ledger entry, booked to the given mode', async () => {
    const { id } = await newAccount();
    const grant = { amount: 1000, mode: 'test', note: 'Invoice 7', reference: 'inv_7' };
    const { status, body } = await post(`/admin/accounts/${id}/credits`, grant);
    assert.equal(status, 201);
    const entry = LedgerEntry.parse(body);
    const booked = { kind: 'grant', source: 'outside', target: 'available', number: 1 };
    assert.partialDeepStrictEqual(entry, { ...grant, ...booked });
    const { balance } = Account.parse((await service.admin.get(`/admin/accounts/${id}`)).body);
    assert.deepEqual([balance.live.available, balance.test.available], [0, 1000]);
    const [action] = await logOf(id);
    assert.equal(action?.action, 'credits.grant');
    assert.deepEqual(action.detail, grant);
  });

  test('books a reference once, even with many concurrent requests', async () => {
    const { id } = await newAccount();
    const grant = { amount: 10, mode: 'live', note: 'n', reference: 'once' };
    const path = `/admin/accounts/${id}/credits`;
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(path, grant)));
    for (const { status, body } of responses) {
      assert.deepEqual([status, body], [201, responses[0]!.body]);
    }
    assertApiError(await post(path, { ...grant, amount: 99 }), 'invalid_request');
    const other = await post(path, { ...grant, mode: 'test' });
    assert.notEqual(other.body.id, responses[0]!.body.id, 'each mode has its own');
    const { balance } = Account.parse((await service.admin.get(`/admin/accounts/${id}`)).body);
    assert.deepEqual([balance.live.available, balance.test.available], [10, 10]);
    assert.equal((await logOf(id)).filter(({ action }) => action === 'credits.grant').length, 2);
    await service.assertInvariants();
  });

  const bad: [object, RegExp][] = [
    [{ amount: 0 }, /^amount must not be 0 \(got 0\)$/],
    [{ amount: -5 }, /^amount must be at least 0, as 0 live credits are available \(got -5\)$/],
    [{ amount: 1.5 }, /^amount must be an integer \(got 1\.5\)$/],
    [{ amount: '5' }, /^amount must be an integer \(got "5"\), did you mean 5\?$/],
    [{ amount: 1e13 }, /^amount must be at most 1000000000000/],
    [{ mode: 'prod' }, /^mode must be one of live, test \(got "prod"\)$/],
    [{ note: '' }, /^note must not be empty/],
    [{ note: '\ud800' }, /^note must be valid Unicode/],
    [{ note: 'x'.repeat(1001) }, /^note must have at most 1000 characters/],
    [{ reference: '' }, /^reference must not be empty/],
    [{ reference: null }, /^reference must be a string, or omitted \(got null\)$/],
    [{ refrence: 'x' }, /^refrence is not a known field, did you mean reference\?$/],
  ];
  for (const [change, message] of bad) {
    test(`400: ${JSON.stringify(change).slice(0, 40)}`, async () => {
      const { id } = await newAccount();
      const body = { amount: 1, mode: 'live', note: 'n', ...change };
      const response = await post(`/admin/accounts/${id}/credits`, body);
      assertApiError(response, 'invalid_request', message);
    });
  }
});

describe('keys', () => {
  const createKey = (id: string, body: object) =>
    post(`/admin/accounts/${id}/keys`, { name: 'K', mode: 'live', ...body });

  test('returns 201 with the key, only this once, with all permissions by default', async () => {
    const { id } = await newAccount();
    const { status, body } = await createKey(id, {});
    assert.equal(status, 201);
    const { key, ...shown } = CreatedApiKey.parse(body);
    assert.match(key, /^vg_live_[0-9A-Za-z]{49}$/);
    const all = ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'];
    assert.deepEqual(shown.permissions, all);
    assert.equal(shown.prefix + key.slice(12, -4) + shown.last_four, key);
    const list = await service.admin.get(`/admin/accounts/${id}/keys`);
    const [listed] = list.body.items as ApiKey[];
    assert.deepEqual(ApiKey.parse(listed), shown);
    assert(!JSON.stringify([list.body, await logOf(shown.id)]).includes(key.slice(12, -4)));
    assert.equal((await logOf(shown.id))[0]?.action, 'key.create');
  });

  test('accepts expires_at as a date or as seconds, and the key works until then', async () => {
    const { id } = await newAccount();
    const later = Math.floor(Date.now() / 1000) + 3600;
    for (const expires_at of [later, String(later), new Date(later * 1000).toISOString()]) {
      const { status, body } = await createKey(id, { expires_at });
      assert.equal(status, 201);
      assert.equal(body.expires_at, new Date(later * 1000).toISOString());
      assert.equal((await clientOf(service.url, String(body.key)).get('/v1/credits')).status, 200);
      const [action] = await logOf(String(body.id));
      assert.equal(action?.detail.expires_at, body.expires_at);
    }
  });

  const bad: [object, RegExp][] = [
    [{ expires_at: 1 }, /^expires_at must be in the future \(got 1\)$/],
    [{ expires_at: '2020-01-01T00:00:00Z' }, /^expires_at must be in the future/],
    [{ expires_at: 1e15 }, /^expires_at must be Unix seconds or an ISO 8601 time/],
    [{ expires_at: -5 }, /^expires_at must be Unix seconds or/],
    [{ expires_at: 'tomorrow' }, /^expires_at must be Unix seconds or/],
    [{ expires_at: '2030-02-31' }, /^expires_at must be Unix seconds or/],
    [{ expires_at: null }, /^expires_at must be Unix seconds or/],
    [{ permissions: [] }, /^permissions must contain at least 1/],
    [{ permissions: ['videos:delete'] }, /^permissions\[0\] must be one of videos:create, /],
    [{ permissions: 'tasks:read' }, /^permissions must be an array/],
    [{ mode: 'Live' }, /^mode must be one of live, test/],
    [{ name: 5 }, /^name must be a string/],
    [{ expire_at: 1 }, /^expire_at is not a known field, did you mean expires_at\?$/],
  ];
  for (const [change, message] of bad) {
    test(`400: ${JSON.stringify(change)}`, async () => {
      const { id } = await newAccount();
      assertApiError(await createKey(id, change), 'invalid_request', message);
    });
  }

  test('DELETE returns 204, takes effect at once here, and can be repeated', async () => {
    const { id } = await newAccount();
    const { body } = await createKey(id, {});
    const client = clientOf(service.url, String(body.key));
    assert.equal((await client.get('/v1/credits')).status, 200);
    for (let at = 0; at < 2; at++) {
      const response = await fetch(`${service.url}/admin/keys/${body.id}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer an admin token that only tests know' },
      });
      assert.deepEqual([response.status, await response.text()], [204, '']);
      assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
    }
    assertApiError(await client.get('/v1/credits'), 'invalid_api_key');
    assert.equal((await logOf(String(body.id)))[0]?.action, 'key.revoke');
    for (const unknown of noIds) {
      assertApiError(await service.admin.send('DELETE', `/admin/keys/${unknown}`), 'not_found');
    }
  });
});
