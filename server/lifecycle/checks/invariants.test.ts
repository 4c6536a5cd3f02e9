/** The checks find every kind of wrong row, wherever the slices are cut. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTask, useJourney } from '../../../proof/kit/journey.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { checkInvariants, type InvariantOptions } from './invariants.ts';

const tasks = 7;
const { service, receiver } = await useJourney({ script: { status: ['completed'] } });
const { db } = service;
for (let nth = 0; nth < tasks; nth++) {
  await (await createTask(service, { callback_url: receiver.url })).final();
}
// Until then a delivery has a job, and the checks count it.
const pending = `select from deliveries where status = 'pending'`;
await waitUntil(async () => (await db.query(pending)).rowCount === 0);

/** Writes past all triggers and constraints, checks, and undoes it. */
async function offendersAfter(forgery: string, options: InvariantOptions): Promise<string[]> {
  const undo = new Error('undo');
  let offenders: string[] = [];
  await db
    .transaction(async (tx) => {
      await tx.query(`set local session_replication_role = 'replica'`);
      await tx.query(forgery);
      const { checks } = await checkInvariants(tx, options);
      offenders = checks.flatMap((check) => check.offenders);
      throw undo;
    })
    .catch((error) => assert.equal(error, undo));
  return offenders;
}

const nth = (table: string, key: string, at: number) =>
  `(select ${key} from ${table} order by ${key} offset ${at} limit 1)`;

const unfinished = 'result = null, expires_at = null';
const forgeries = {
  'a balance with a credit too many': `update balances
     set available = available + 1, granted = granted + 1 where mode = 'live'`,
  'an entry that does not follow from the one before': `update ledger_entries
     set available_after = available_after + 1 where id = ${nth('ledger_entries', 'id', 4)}`,
  'an entry that is gone': `delete from ledger_entries
     where id = ${nth('ledger_entries', 'id', 5)}`,
  'a reservation without a task': `delete from tasks where id = ${nth('tasks', 'id', 3)}`,
  'a task with another price': `update tasks set credits = 99 where id = ${nth('tasks', 'id', 6)}`,
  'a deleted task with another price': `with gone as (
     delete from tasks where id = ${nth('tasks', 'id', 6)} returning *)
     insert into erased_tasks (id, account_id, key_id, mode, model, resolution, status,
       billing_status, credits, created_at, finished_at)
     select id, account_id, key_id, mode, model, '480p', status, billing_status, credits + 1,
       created_at, finished_at from gone`,
  'a deleted task that still exists': `insert into erased_tasks (id, account_id, key_id, mode,
       model, resolution, status, billing_status, credits, created_at, finished_at)
     select id, account_id, key_id, mode, model, '480p', status, billing_status, credits,
       created_at, finished_at from tasks where id = ${nth('tasks', 'id', 5)}`,
  'a charged task whose status says refunded': `update tasks set ${unfinished},
     status = 'failed', billing_status = 'refunded', failed_reason = 'cancelled'
     where id = ${nth('tasks', 'id', 2)}`,
  'an unfinished task without a job': `update tasks set ${unfinished}, finished_at = null,
     status = 'generating', billing_status = 'reserved' where id = ${nth('tasks', 'id', 1)}`,
  'a task without its delivery': `delete from deliveries where id = ${nth('deliveries', 'id', 3)}`,
  'a pending delivery without a job': `update deliveries set status = 'pending', delivered_at = null
     where id = ${nth('deliveries', 'id', 6)}`,
};

describe('finds', () => {
  for (const [name, forgery] of Object.entries(forgeries)) {
    test(name, async () => {
      for (const sliceRows of [1, 3, 5_000]) {
        const offenders = await offendersAfter(forgery, { sliceRows });
        assert.ok(offenders.length > 0, `not found in slices of ${sliceRows}`);
      }
    });
  }
});

test('checks the same rows in slices of any size', async () => {
  const whole = await checkInvariants(db);
  assert.equal(whole.ok, true);
  assert.equal(whole.checks[2]!.checked, tasks);
  for (const sliceRows of [1, 2, 7]) {
    assert.deepEqual(await checkInvariants(db, { sliceRows }), whole);
  }
});

test('continues after the last sound check, and covers everything when asked', async () => {
  const age = `update %t set created_at = created_at - interval '1 hour'`;
  await db.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`);
    for (const table of ['tasks', 'ledger_entries']) await tx.query(age.replace('%t', table));
  });
  assert.equal((await checkInvariants(db)).ok, true);
  const later = await checkInvariants(db, { scope: 'new' });
  assert.deepEqual([later.ok, later.checks[2]!.checked], [true, 0]);
  const { final } = await createTask(service, { callback_url: receiver.url });
  await final();
  assert.equal((await checkInvariants(db, { scope: 'new' })).checks[2]!.checked, 1);
  const forgery = forgeries['an entry that does not follow from the one before'];
  assert.deepEqual(await offendersAfter(forgery, { scope: 'new' }), []);
  assert.notDeepEqual(await offendersAfter(forgery, { scope: 'all' }), []);
  const { body } = await service.admin.get('/admin/audit?scope=new');
  assert.equal(body.ok, true);
});
