/** Closing an account and rotating its secret: what works afterwards, and what does not. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Account } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { startService } from '../../../proof/kit/service.ts';
import { webhookSecrets } from '../../accounts/account.ts';

const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
after(() => service.close());

const post = (path: string, body?: unknown) => service.admin.post(path, body);
const actionsOf = async (subject: string) => {
  const { body } = await service.admin.get(`/admin/audit-log?subject=${subject}`);
  return (body.items as { action: string; detail: object }[]).filter(
    ({ action }) => !/^(account\.create|credits\.grant)$/.test(action),
  );
};

describe('POST /admin/accounts/:id/close', () => {
  test('keys return 401, nothing is booked or created, history stays', async () => {
    const { id, client } = await service.account({ live: 100 });
    await client.create(textToVideo);
    const { status, body } = await post(`/admin/accounts/${id}/close`);
    assert.equal(status, 200);
    const { closed_at, balance } = Account.parse(body);
    assert(closed_at !== null);
    assert.deepEqual(balance.live, { available: 95, reserved: 5, suspended: 0 });
    assertApiError(await client.get('/v1/credits'), 'invalid_api_key');
    assertApiError(await client.create(textToVideo), 'invalid_api_key');

    const grant = { amount: 1, mode: 'live', note: 'n', reference: 'late' };
    const credits = await post(`/admin/accounts/${id}/credits`, grant);
    assertApiError(credits, 'invalid_request', 'The account is closed; credits cannot be added.');
    const key = await post(`/admin/accounts/${id}/keys`, { name: 'K', mode: 'live' });
    assertApiError(key, 'invalid_request', 'The account is closed; keys cannot be created.');
    for (const list of ['tasks', 'ledger', 'keys', 'deliveries']) {
      assert.equal((await service.admin.get(`/admin/accounts/${id}/${list}`)).status, 200);
    }
    assert.deepEqual(pluck(await actionsOf(id), 'action'), ['account.close']);
  });

  test('returns the entry of a reference that was booked before', async () => {
    const { id } = await service.account();
    const grant = { amount: 1, mode: 'live', note: 'n', reference: 'before' };
    const booked = await post(`/admin/accounts/${id}/credits`, grant);
    await post(`/admin/accounts/${id}/close`);
    const again = await post(`/admin/accounts/${id}/credits`, grant);
    assert.deepEqual([again.status, again.body], [201, booked.body]);
  });

  test('a create in progress when the account closes reserves nothing', async () => {
    const { id, client } = await service.account({ live: 1000 });
    const creates = Array.from({ length: 20 }, () => client.create(textToVideo));
    const closing = post(`/admin/accounts/${id}/close`);
    const responses = await Promise.all(creates);
    const { balance } = Account.parse((await closing).body);
    const accepted = responses.filter(({ status }) => status === 200).length;
    assert.equal(balance.live.reserved, accepted * 5);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      assertApiError(response, 'invalid_api_key');
    }
    await service.assertInvariants();
  });
});

describe('POST /admin/accounts/:id/webhook-secret', () => {
  test('returns a new secret; the old one also signs for a day by default', async () => {
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
  });

  test('with keep_previous_seconds 0 the old secret ends at once', async () => {
    const { id } = await service.account();
    const leaked = await post(`/admin/accounts/${id}/webhook-secret`, { keep_previous_seconds: 0 });
    const { webhook_secret } = Account.parse(leaked.body);
    assert.deepEqual(await webhookSecrets(service.db, id), [webhook_secret]);
    assert.deepEqual(pluck(await actionsOf(id), 'action', 'detail'), [
      ['webhook_secret.rotate', { keep_previous_seconds: 0 }],
    ]);
    assert(!JSON.stringify(await actionsOf(id)).includes('whsec_'));
  });

  test('returns 400 for invalid bodies', async () => {
    const { id } = await service.account();
    const bad: [unknown, RegExp][] = [
      [null, /^the body must be a JSON object \(got null\)$/],
      [{ keep_previous_seconds: -1 }, /^keep_previous_seconds must be at least 0 \(got -1\)$/],
      [{ keep_previous_seconds: 1e9 }, /^keep_previous_seconds must be at most 2592000/],
      [{ keep_previous_seconds: '5' }, /^keep_previous_seconds must be an integer/],
      [{ keep: 5 }, /^keep is not a known field, did you mean keep_previous_seconds\?$/],
      [[], /^the body must be a JSON object/],
    ];
    for (const [body, message] of bad) {
      const response = await post(`/admin/accounts/${id}/webhook-secret`, body);
      assertApiError(response, 'invalid_request', message);
    }
  });
});
