/**
 * The database rejects what code must not do with credits. That balances are exact in any order is
 * proven by the simulation in `proof/faults/money`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../proof/kit/seed.ts';
import { closeBalances, findBalances, lockBalances } from './ledger.ts';

const scratch = await useDatabase();

const mode = 'live';
test('holds the balance until the transaction ends', async () => {
  const { db } = scratch;
  const { accountId } = await seedAccount(db, { credits: 5 });
  const lock = 'select from balances where account_id = $1 for no key update nowait';
  await db.transaction(async (tx) => {
    await lockBalances(tx, [{ accountId, mode: 'live' }]);
    await assert.rejects(db.query(lock, [accountId]), { code: '55P03' });
  });
  await db.query(lock, [accountId]);
});

const insertEntry = `insert into ledger_entries (account_id, mode, number, kind, source, target,
  amount, available_after, reserved_after, spent_after, suspended_after, task_id) values`;

/** Statements that the database rejects whatever the code does, with their SQLSTATE. */
const forbidden: readonly (readonly [string, string, string])[] = [
  ['a balance below zero', `update balances set available = -1, granted = granted - 101`, '23514'],
  [
    'a balance that differs from its last entry',
    `update balances set available = 99, granted = 99`,
    '23503',
  ],
  ['a balance without entries', `update balances set last_entry = null`, '23514'],
  ['an entry that is changed', `update ledger_entries set amount = 1`, 'VG001'],
  ['an entry that is deleted', `delete from ledger_entries`, 'VG001'],
  [
    'a settlement without a reservation',
    `${insertEntry} ($1, 'live', 2, 'charge', 'reserved', 'spent', 5, 100, 0, 0, 0, 't0')`,
    'VG003',
  ],
  [
    'a deduction without a note',
    `${insertEntry} ($1, 'live', 2, 'deduct', 'available', 'outside', 5, 95, 0, 0, 0, null)`,
    '23514',
  ],
  [
    'a transfer of a kind that does not exist',
    `${insertEntry} ($1, 'live', 2, 'grant', 'spent', 'available', 5, 105, 0, 0, 0, null)`,
    '23514',
  ],
];
for (const [what, statement, code] of forbidden) {
  test(`rejects ${what} in the database`, async () => {
    const { accountId } = await seedAccount(scratch.db, { credits: 100 });
    const aimed = statement.startsWith('update balances')
      ? `${statement} where account_id = $1 and mode = 'live'`
      : statement;
    await assert.rejects(scratch.db.query(aimed, aimed.includes('$1') ? [accountId] : []), {
      code,
    });
  });
}

test('rejects a second settlement of a task in the database', async () => {
  const { accountId } = await seedAccount(scratch.db, { credits: 100 });
  const task = { accountId, mode, taskId: `twice ${accountId}`, credits: 5 } as const;
  const settle = (verb: 'charge' | 'refund') =>
    scratch.db.transaction(async (tx) => {
      const ledger = await lockBalances(tx, [task]);
      ledger[verb](task);
      await ledger.flush();
    });
  await scratch.db.transaction(async (tx) => {
    const ledger = await lockBalances(tx, [task]);
    ledger.reserve(task);
    ledger.reserve({ ...task, taskId: `other ${accountId}` });
    await ledger.flush();
  });
  await settle('charge');
  await assert.rejects(settle('refund'), { code: '23505' });
});

test('settles a closed account’s tasks without grants, reservations or refunds', async () => {
  const { accountId } = await seedAccount(scratch.db, { credits: 100 });
  const task = { accountId, mode, taskId: `closed ${accountId}`, credits: 5 } as const;
  await scratch.db.transaction(async (tx) => {
    const ledger = await lockBalances(tx, [task]);
    ledger.reserve(task);
    await ledger.flush();
    await closeBalances(tx, accountId);
  });
  const grant = scratch.db.transaction(async (tx) => {
    const ledger = await lockBalances(tx, [task]);
    ledger.grant(task, { amount: 1, note: null, reference: null });
    await ledger.flush();
  });
  await assert.rejects(grant, { code: 'VG002' });
  await scratch.db.transaction(async (tx) => {
    const ledger = await lockBalances(tx, [task]);
    assert.deepEqual(ledger.reserve({ ...task, taskId: 'new' }), { outcome: 'closed' });
    assert.deepEqual(ledger.refund(task), { outcome: 'closed' });
    ledger.suspend(task);
    ledger.release(task, 'by hand');
    await ledger.flush();
  });
  const { live } = (await findBalances(scratch.db, [accountId])).get(accountId)!;
  assert.deepEqual(live, { available: 100, reserved: 0, spent: 0, suspended: 0 });
});
