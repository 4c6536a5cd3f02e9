/** API keys over HTTP: created, shown once, capped and revoked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiKey, CreatedApiKey } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { clientOf, useService } from '../../../proof/kit/service.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

const { post } = service.admin;
const createKey = (id: string, body: object) =>
  post(`/admin/accounts/${id}/keys`, { name: 'K', mode: 'live', ...body });
const listedKey = async (id: string) => {
  const { body } = await service.admin.get(`/admin/accounts/${id}/keys`);
  return ApiKey.parse((body.items as unknown[])[0]);
};
const lastEntry = async (subject: string) => (await service.auditLog(subject))[0]!;

describe('a key', () => {
  test('is shown when it is created, never stored, with all permissions by default', async () => {
    const { id } = (await post('/admin/accounts', { name: 'A' })).body as { id: string };
    const { status, body } = await createKey(id, {});
    assert.equal(status, 201);
    const { key, ...shown } = CreatedApiKey.parse(body);
    assert.match(key, /^vg_live_[0-9A-Za-z]{49}$/);
    const all = ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'];
    assert.deepEqual(shown.permissions, all);
    assert.equal(shown.prefix + key.slice(12, -4) + shown.last_four, key);
    assert.deepEqual(await listedKey(id), shown);
    const entry = await lastEntry(shown.id);
    assert.equal(entry.action, 'key.create');
    assert(!JSON.stringify(entry).includes(key.slice(12, -4)));
    const { rows } = await service.db.query('select api_keys::text as row from api_keys');
    assert(!JSON.stringify(rows).includes(key.slice(12, -4)));
    const twice = await createKey(id, { permissions: ['tasks:read', 'tasks:read'] });
    assert.deepEqual(twice.body.permissions, ['tasks:read']);
  });

  test('accepts expires_at as a date or as seconds, and works until then', async () => {
    const { id } = await service.account();
    const later = Math.floor(Date.now() / 1000) + 3600;
    for (const expires_at of [later, String(later), new Date(later * 1000).toISOString()]) {
      const { status, body } = await createKey(id, { expires_at });
      assert.equal(status, 201);
      assert.equal(body.expires_at, new Date(later * 1000).toISOString());
      assert.equal((await clientOf(service.url, String(body.key)).get('/v1/credits')).status, 200);
      assert.equal((await lastEntry(String(body.id))).detail.expires_at, body.expires_at);
    }
  });

  test('is rejected with the field that is wrong', async () => {
    const { id } = await service.account();
    const bad: [object, RegExp][] = [
      [{ expires_at: 1 }, /^expires_at must be in the future \(got 1\)$/],
      [{ expires_at: '2020-01-01T00:00:00Z' }, /^expires_at must be in the future/],
      [{ expires_at: 1e15 }, /^expires_at must be Unix seconds or an ISO 8601 time/],
      [{ expires_at: 'tomorrow' }, /^expires_at must be Unix seconds or/],
      [{ expires_at: null }, /^expires_at must be Unix seconds or/],
      [{ spend_cap: { credits: -1, period: 'day' } }, /^spend_cap\.credits must be at least 0/],
    ];
    for (const [change, message] of bad) {
      assertApiError(await createKey(id, change), 'invalid_request', message);
    }
  });

  test('is revoked at once here, also when it is repeated', async () => {
    const { client, keyId } = await service.account();
    assert.equal((await client.get('/v1/credits')).status, 200);
    for (let at = 0; at < 2; at++) {
      const { status, headers } = await service.admin.send('DELETE', `/admin/keys/${keyId}`);
      assert.equal(status, 204);
      assert.match(headers.get('x-request-id') ?? '', /^req_/);
    }
    assertApiError(await client.get('/v1/credits'), 'invalid_api_key');
    assert.equal((await lastEntry(keyId)).action, 'key.revoke');
    for (const unknown of ['x', '%00', "'", 'key_0000000000000000000000', 'a'.repeat(300)]) {
      assertApiError(await service.admin.send('DELETE', `/admin/keys/${unknown}`), 'not_found');
    }
  });
});

describe('a spending cap', () => {
  test('answers 402 with its figures, and shows its use', async () => {
    const { id, client, keyId } = await service.account({ live: 1000 });
    const set = await post(`/admin/keys/${keyId}/spending-cap`, {
      spend_cap: { credits: 12, period: 'total' },
    });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    for (let sent = 0; sent < 2; sent++) {
      assert.equal((await client.create(textToVideo)).status, 200);
    }
    const refused = await client.create(textToVideo);
    const { required, available } = assertApiError(
      refused,
      'insufficient_credits',
      'This task costs 5 credits, and this API key has used 10 of its cap of 12 credits in all; ' +
        'ask an account owner to raise the cap.',
    );
    assert.deepEqual([required, available], [5, 2]);
    const cap = { credits: 12, period: 'total', used: 10, renews_at: null };
    assert.deepEqual((await listedKey(id)).spend_cap, cap);
    const removed = await post(`/admin/keys/${keyId}/spending-cap`, { spend_cap: null });
    assert.equal(ApiKey.parse(removed.body).spend_cap, null);
    const { action, detail } = await lastEntry(keyId);
    assert.deepEqual([action, detail], ['key.spending_cap', { spend_cap: null }]);
    assert.equal((await client.create(textToVideo)).status, 200);
  });

  test('can be given to a new key, and renews at midnight in UTC', async () => {
    const { id } = await service.account({ live: 100 });
    const spend_cap = { credits: 5, period: 'day' };
    const { status, body } = await createKey(id, { spend_cap });
    assert.equal(status, 201, JSON.stringify(body));
    const { used, renews_at } = CreatedApiKey.parse(body).spend_cap!;
    assert.equal(used, 0);
    assert.equal(renews_at! % 86_400, 0);
    assert.deepEqual((await lastEntry(String(body.id))).detail.spend_cap, spend_cap);
    const client = service.client(body.key as string);
    assert.equal((await client.create(textToVideo)).status, 200);
    const refused = await client.create(textToVideo);
    assertApiError(refused, 'insufficient_credits', /credits per day; ask/);
  });
});
