/** A month of the ledger: its lines add up to its balances. And the latest entry of each task. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { seedAccount } from '../../proof/kit/seed.ts';
import { listEntries } from './entries.ts';
import { lockBalances } from './ledger.ts';
import { readStatement, type Statement } from './statement.ts';

const { db } = await useDatabase();
const mode = 'live';

/** 100 granted in March. In April 10 charged on two days, 5 refunded, 20 deducted, 5 reserved. */
async function seedMonths(): Promise<string> {
  const { accountId } = await seedAccount(db, { credits: 100 });
  const taskOf = (taskId: string) => ({ accountId, mode, taskId, credits: 5 }) as const;
  await db.transaction(async (tx) => {
    const ledger = await lockBalances(tx, [{ accountId, mode }]);
    for (const id of ['a', 'b', 'c', 'd']) ledger.reserve(taskOf(accountId + id));
    for (const id of ['a', 'b']) ledger.charge(taskOf(accountId + id));
    ledger.refund(taskOf(`${accountId}c`));
    ledger.deduct({ accountId, mode }, { amount: 20, note: 'Too much', reference: null });
    await ledger.flush();
    // The ledger is append-only.
    await tx.query('set local session_replication_role = replica');
    const days = ['03-31', '03-31', '04-01', '04-01', '04-01', '04-02', '04-03', '04-03', '04-30'];
    for (const [at, day] of days.entries()) {
      await tx.query(
        'update ledger_entries set created_at = $3 where account_id = $1 and number = $2',
        [accountId, at + 1, `2026-${day}T23:59:59.9Z`],
      );
    }
  });
  return accountId;
}

const linesOf = ({ lines }: Statement) =>
  lines.map(({ day, kind, entries, credits }) => [day, kind, entries, credits].join(' '));

test('has the balances of a month and what changed them', async () => {
  const accountId = await seedMonths();
  const month = (number: number) =>
    readStatement(db, {
      accountId,
      mode,
      since: new Date(Date.UTC(2026, number - 1)),
      until: new Date(Date.UTC(2026, number)),
    });
  const february = await month(2);
  const march = await month(3);
  const april = await month(4);
  const may = await month(5);
  assert.deepEqual([february.closingBalance, linesOf(february)], [0, []]);
  assert.deepEqual(linesOf(march), ['2026-03-31 grant 1 100']);
  assert.deepEqual([march.openingBalance, march.closingBalance], [0, 100]);
  // A reservation of March, charged in April.
  assert.deepEqual(linesOf(april), [
    '2026-04-02 charge 1 5',
    '2026-04-03 charge 1 5',
    '2026-04-30 deduct 1 20',
  ]);
  assert.deepEqual([april.openingBalance, april.closingBalance], [100, 70]);
  assert.deepEqual([may.openingBalance, may.closingBalance, may.lines], [70, 70, []]);
});

test('lists one entry for each task: its latest', async () => {
  const accountId = await seedMonths();
  const entries = await listEntries(db, { accountId, limit: 20, latestOnly: true });
  const shown = entries.map(({ kind, taskId }) => [kind, taskId?.at(-1) ?? ''].join(' ').trim());
  assert.deepEqual(shown, ['deduct', 'refund c', 'charge b', 'charge a', 'reserve d', 'grant']);
  const running = { accountId, limit: 20, latestOnly: true, kind: 'reserve' };
  assert.equal((await listEntries(db, running)).length, 1);
});
