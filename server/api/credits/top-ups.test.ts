/** Codes and checkouts over HTTP: each is worth its credits once, and guessing reveals nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { CreatedCodes, TopUpsResponse } from '@vidgen/contract/top-ups.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf } from '../../../proof/kit/journey.ts';
import { useService } from '../../../proof/kit/service.ts';
import { generateCode } from '../../top-ups/code-format.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

const post = (path: string, body?: unknown) => service.admin.post(path, body);
async function makeCodes(wanted: object = {}) {
  const request = { amount: 500, mode: 'live', count: 1, note: 'Workshop', ...wanted };
  const { status, body } = await post('/admin/redemption-codes', request);
  assert.equal(status, 201, JSON.stringify(body));
  return CreatedCodes.parse(body).items;
}
const redeem = (accountId: string, code: string) =>
  post(`/admin/accounts/${accountId}/redemptions`, { code });
const actionsOf = async (subject: string) =>
  (await service.auditLog(subject)).filter(
    ({ action }) => !/^(account\.create|key\.create)$/.test(action),
  );
const neverOurs = 'The code is unknown, revoked or used; ask its issuer for a new one.';

test('creating codes returns a batch once and stores only digests', async () => {
  const codes = await makeCodes({ count: 3, mode: 'test', expires_at: '2999-01-01T00:00:00Z' });
  assert.equal(new Set(codes.map(({ code }) => code)).size, 3);
  for (const { code, last_four, status, mode } of codes) {
    assert.deepEqual([last_four, status, mode], [code.slice(-4), 'open', 'test']);
  }
  const { rows } = await service.db.query('select c.*::text as row from redemption_codes c');
  const stored = JSON.stringify(rows);
  for (const { code } of codes) {
    assert(!stored.includes(code) && !stored.includes(code.replaceAll('-', '')));
  }
  const logged = JSON.stringify(await actionsOf(codes[0]!.id));
  assert.match(logged, /codes\.create/);
  for (const { code } of codes) assert(!logged.includes(code));
});

describe('redeeming', () => {
  test('books the credits to the balance of the code, with its note and reference', async () => {
    const { id } = await service.account();
    const [made] = await makeCodes({ mode: 'test', amount: 70 });
    const { status, body } = await redeem(id, ` ${made!.code.toLowerCase().replaceAll('-', ' ')}`);
    assert.equal(status, 201);
    const entry = LedgerEntry.parse(body);
    assert.deepEqual(
      [entry.kind, entry.amount, entry.mode, entry.note, entry.reference],
      ['grant', 70, 'test', 'Workshop', `code:${made!.id}`],
    );
    const { live, test: paid } = await balanceOf(service, id);
    assert.deepEqual([live.available, paid.available], [0, 70]);
    const [action] = await actionsOf(id);
    assert.deepEqual(
      [action!.action, action!.actor, action!.detail],
      ['credits.redeem', 'admin token', { code: made!.id, amount: 70, mode: 'test' }],
    );
    await service.assertInvariants();
  });

  test('books once, even with concurrent requests', async () => {
    const [made] = await makeCodes();
    const accounts = await Promise.all(Array.from({ length: 4 }, () => service.account()));
    const tries = accounts.flatMap(({ id }) => [redeem(id, made!.code), redeem(id, made!.code)]);
    const responses = await Promise.all(tries);
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    const balances = await Promise.all(accounts.map(({ id }) => balanceOf(service, id)));
    const sum = balances.reduce((total, { live }) => total + live.available, 0);
    assert.equal(sum, 500);
    await service.assertInvariants();
  });

  test('used, revoked and unknown codes get the same error', async () => {
    const first = await service.account();
    const second = await service.account();
    const [used, revoked] = await makeCodes({ count: 2 });
    await redeem(first.id, used!.code);
    await service.admin.send('DELETE', `/admin/redemption-codes/${revoked!.id}`);
    for (const code of [used!.code, revoked!.code, generateCode()]) {
      assertApiError(await redeem(second.id, code), 'invalid_request', neverOurs);
    }
    assertApiError(
      await redeem(first.id, used!.code),
      'invalid_request',
      'This account has already redeemed the code; see its credit history.',
    );
  });

  test('names the expiry of an expired code; typing errors are not counted', async () => {
    const { id } = await service.account();
    const [ended] = await makeCodes({ expires_at: '2999-01-01T00:00:00Z' });
    await service.db.query(
      `update redemption_codes set expires_at = '2026-01-31T12:00:00Z' where id = $1`,
      [ended!.id],
    );
    assertApiError(
      await redeem(id, ended!.code),
      'invalid_request',
      'The code expired on 2026-01-31; ask its issuer for a new one.',
    );
    for (let count = 0; count < 12; count++) {
      const response = await redeem(id, 'VG-AAAA-AAAA-AAAA-AAAA-AAAB');
      assertApiError(response, 'invalid_request', /^Invalid code; check/);
    }
    const [good] = await makeCodes();
    assert.equal((await redeem(id, good!.code)).status, 201);
  });

  test('allows ten wrong guesses per hour and account, counted in the database', async () => {
    const guesser = await service.account();
    const other = await service.account();
    const responses = await Promise.all(
      Array.from({ length: 14 }, () => redeem(guesser.id, generateCode())),
    );
    const statuses = responses.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 400).length, 10);
    assert.equal(statuses.filter((status) => status === 429).length, 4);
    const [made] = await makeCodes();
    const blocked = await redeem(guesser.id, made!.code);
    const { message, retry_after } = assertApiError(blocked, 'rate_limited');
    assert.match(message, /^Limit of 10 wrong codes per hour and account exceeded; retry in \d+ s/);
    assert(retry_after! > 0 && retry_after! <= 3600, String(retry_after));
    assert.equal(blocked.headers.get('retry-after'), String(retry_after));
    assert.equal((await redeem(other.id, made!.code)).status, 201);
    await service.db.query(
      `update account_windows set stamps = array(
         select stamp - interval '1 hour' from unnest(stamps) as stamp) where account_id = $1`,
      [guesser.id],
    );
    const [later] = await makeCodes();
    assert.equal((await redeem(guesser.id, later!.code)).status, 201);
  });

  test('rejects a closed account, and the code stays valid', async () => {
    const closed = await service.account();
    const other = await service.account();
    const [made] = await makeCodes();
    await post(`/admin/accounts/${closed.id}/close`);
    assertApiError(
      await redeem(closed.id, made!.code),
      'invalid_request',
      'The account is closed; credits cannot be added.',
    );
    assert.equal((await redeem(other.id, made!.code)).status, 201);
  });

  test('a redeemed code cannot be revoked, by the API or in the database', async () => {
    const { id } = await service.account();
    const [made] = await makeCodes();
    await redeem(id, made!.code);
    const response = await service.admin.send('DELETE', `/admin/redemption-codes/${made!.id}`);
    assertApiError(response, 'invalid_request', /^This code was already redeemed/);
    for (const change of ['redeemed_at = null, account_id = null', 'amount = 9']) {
      await assert.rejects(
        service.db.query(`update redemption_codes set ${change} where id = $1`, [made!.id]),
        { code: 'VG005' },
      );
    }
    assertApiError(
      await service.admin.send('DELETE', '/admin/redemption-codes/code_x'),
      'not_found',
    );
  });
});

test('offers nothing where no payments are configured', async () => {
  const { id } = await service.account();
  const { body } = await service.admin.get(`/admin/accounts/${id}/top-ups`);
  assert.deepEqual(TopUpsResponse.parse(body), { packs: [] });
  const checkout = await post(`/admin/accounts/${id}/checkouts`, { pack: 'small' });
  assertApiError(checkout, 'invalid_request', /^Payments aren’t enabled on this server/);
  assertApiError(await post('/stripe/events', { id: 'evt_1' }), 'not_found');
});
