/** Grants and corrections over HTTP: in the ledger and the audit log, and once per reference. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import { balanceOf, textToVideo } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { useService } from '../../../proof/kit/service.ts';

const service = await useService({ environment: { VIDGEN_ROLE: 'api' } });

const book = (id: string, changes: object = {}) =>
  service.admin.post(`/admin/accounts/${id}/credits`, {
    amount: 10,
    mode: 'live',
    note: 'Invoice 17',
    ...changes,
  });
const available = async (id: string) => {
  const { live, test } = await balanceOf(service, id);
  return [live.available, test.available];
};
const bookings = async (id: string) => {
  const log = await service.auditLog(id);
  const booked = log.filter(({ action }) => action.startsWith('credits.'));
  return pluck(booked, 'action', 'detail');
};

describe('a grant', () => {
  test('returns the ledger entry, booked to the given mode', async () => {
    const { id } = await service.account();
    const grant = { amount: 1000, mode: 'test', note: 'Invoice 7', reference: 'inv_7' };
    const { status, body } = await book(id, grant);
    assert.equal(status, 201);
    const booked = { kind: 'grant', source: 'outside', target: 'available', number: 1 };
    assert.partialDeepStrictEqual(LedgerEntry.parse(body), { ...grant, ...booked });
    assert.deepEqual(await available(id), [0, 1000]);
    assert.deepEqual(await bookings(id), [['credits.grant', grant]]);
  });

  test('books a reference once, even with many concurrent requests', async () => {
    const { id } = await service.account();
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => book(id, { reference: 'once' })),
    );
    for (const { status, body } of responses) {
      assert.deepEqual([status, body], [201, responses[0]!.body]);
    }
    const other = await book(id, { reference: 'once', mode: 'test' });
    assert.notEqual(other.body.id, responses[0]!.body.id, 'each mode has its own');
    assert.deepEqual(await available(id), [10, 10]);
    assert.equal((await bookings(id)).length, 2);
    await service.assertInvariants();
  });

  test('rejects a reference that was booked with another amount, also concurrently', async () => {
    const { id } = await service.account();
    const grant = (amount: number) => book(id, { amount, reference: 'inv_17' });
    const responses = await Promise.all([grant(10), grant(20)]);
    const booked = responses.find(({ status }) => status === 201)!;
    const rejected = responses.find(({ status }) => status !== 201)!;
    assertApiError(rejected, 'invalid_request', /^The reference was booked with/);
    const amount = Number(booked.body.amount);
    const repeated = await grant(amount);
    assert.deepEqual([repeated.status, repeated.body.id], [201, booked.body.id]);
    assertApiError(await grant(amount + 1), 'invalid_request');
  });

  test('is rejected with the field that is wrong', async () => {
    const { id } = await service.account();
    const bad: [object, RegExp][] = [
      [{ amount: 0 }, /^amount must not be 0 \(got 0\)$/],
      [{ amount: -5 }, /^amount must be at least 0, as 0 live credits are available \(got -5\)$/],
      [{ reference: null }, /^reference must be a string, or omitted \(got null\)$/],
    ];
    for (const [change, message] of bad) {
      assertApiError(await book(id, change), 'invalid_request', message);
    }
  });
});

describe('a correction', () => {
  test('is in the ledger and the audit log, and never exceeds what is available', async () => {
    const { id, client } = await service.account({ live: 100 });
    await client.create(textToVideo);
    const { status, body } = await book(id, { amount: -40 });
    assert.equal(status, 201);
    const entry = LedgerEntry.parse(body);
    assert.deepEqual(
      [entry.kind, entry.source, entry.target, entry.amount, entry.balance_after.available],
      ['deduct', 'available', 'outside', 40, 55],
    );
    const detail = { amount: 40, mode: 'live', note: 'Invoice 17', reference: null };
    assert.deepEqual((await bookings(id))[0], ['credits.deduct', detail]);
    const message = 'amount must be at least -55, as 55 live credits are available (got -56)';
    assertApiError(await book(id, { amount: -56 }), 'invalid_request', message);
    const listed = await service.admin.get(`/admin/accounts/${id}/ledger?kind=deduct`);
    assert.deepEqual(listed.body.items, [{ ...entry, prompt: null }]);
    const both = await Promise.all([book(id, { amount: -55 }), book(id, { amount: -55 })]);
    assert.deepEqual(both.map((one) => one.status).toSorted(), [201, 400]);
    assert.deepEqual(await available(id), [0, 0]);
    await service.assertInvariants();
  });

  test('is booked once for each reference, which a grant does not share', async () => {
    const { id } = await service.account({ live: 100 });
    const correction = { amount: -40, reference: 'fix-1' };
    const both = await Promise.all([book(id, correction), book(id, correction)]);
    assert.deepEqual(both[0].body, both[1].body);
    const granted = await book(id, { amount: 40, reference: 'fix-1' });
    assertApiError(granted, 'invalid_request', /^The reference was booked as a deduct with 40/);
    assert.deepEqual(await available(id), [60, 0]);
  });
});
