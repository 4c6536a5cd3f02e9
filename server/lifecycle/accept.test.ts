/**
 * Accepting in batches is exact for one account, for repeated idempotency keys, and across
 * processes.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, seedAccount } from '../../proof/kit/seed.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { findBalances } from '../ledger/ledger.ts';
import { type AcceptTask, createAcceptTask } from './accept.ts';
import { checkInvariants } from './checks/invariants.ts';

const scratch = await openScratchDatabase();
const second = await openPostgres(scratch.url);
/** Two processes. */
const acceptors = [scratch.db, second].map((db) => createAcceptTask({ db }));
after(async () => {
  await second.close();
  await scratch.close();
});
const acceptAt = (index: number): AcceptTask => acceptors[index % acceptors.length]!;

test('accepts 10 of 64 parallel creates when the credits suffice for 10', async () => {
  const account = await seedAccount(scratch.db, { credits: 53 });
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_, at) => acceptAt(at)(createOf(account, { credits: 5 }))),
  );
  const accepted = outcomes.filter(({ outcome }) => outcome === 'accepted');
  assert.equal(accepted.length, 10);
  assert.equal(new Set(accepted.map((one) => 'taskId' in one && one.taskId)).size, 10);
  const refused = outcomes.filter((one) => one.outcome === 'insufficient');
  assert.deepEqual(new Set(refused.map(({ available }) => available)), new Set([3]));
  assert.equal(refused.length, 54);
  const { live } = (await findBalances(scratch.db, [account.accountId])).get(account.accountId)!;
  assert.deepEqual(live, { available: 3, reserved: 50, spent: 0, suspended: 0 });
});

test('accepts a cheaper create after rejecting a dearer one of the same batch', async () => {
  const account = await seedAccount(scratch.db, { credits: 10 });
  const accept = acceptAt(0);
  const outcomes = await Promise.all(
    [7, 7, 3, 1].map((credits) => accept(createOf(account, { credits }))),
  );
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['accepted', 'insufficient', 'accepted', 'insufficient'],
  );
});

test('creates one task for 50 parallel creates with one idempotency key', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const idempotency = { key: 'once', requestDigest: 'd' };
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, at) => acceptAt(at)(createOf(account, { idempotency }))),
  );
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'accepted').length, 1);
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'repeated').length, 49);
  assert.equal(new Set(outcomes.map((one) => 'taskId' in one && one.taskId)).size, 1);
});

test('a batch whose connection was lost is accepted once, committed or not', async () => {
  for (const isCommitted of [true, false]) {
    const account = await seedAccount(scratch.db, { credits: 10 });
    const lost = new Error('Connection terminated unexpectedly');
    const db: Database = {
      ...scratch.db,
      async transaction(work, options) {
        assert.equal(options?.isRepeatable, true);
        const first = scratch.db.transaction(async (tx) => {
          await work(tx);
          if (!isCommitted) throw lost;
        });
        await first.catch((error) => assert.equal(error, lost));
        return await scratch.db.transaction(work, options);
      },
    };
    const accept = createAcceptTask({ db });
    const creates = [createOf(account, { credits: 5 }), createOf(account, { credits: 6 })];
    const outcomes = await Promise.all(creates.map(accept));
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['accepted', 'insufficient'],
    );
    const { live } = (await findBalances(scratch.db, [account.accountId])).get(account.accountId)!;
    assert.deepEqual([live.available, live.reserved], [5, 5]);
    assert.equal((await checkInvariants(scratch.db)).ok, true);
  }
});

test('rejects a key that was used for another request, in the same batch and later', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const create = (requestDigest: string) =>
    createOf(account, { idempotency: { key: 'k', requestDigest } });
  const accept = acceptAt(0);
  const both = await Promise.all([accept(create('one')), accept(create('two'))]);
  assert.deepEqual(
    both.map(({ outcome }) => outcome),
    ['accepted', 'key_reused'],
  );
  assert.equal((await accept(create('two'))).outcome, 'key_reused');
});

test('leaves the idempotency key of a rejected create unused', async () => {
  const account = await seedAccount(scratch.db, { credits: 4 });
  const idempotency = { key: 'later', requestDigest: 'same' };
  const accept = acceptAt(0);
  assert.equal((await accept(createOf(account, { idempotency }))).outcome, 'insufficient');
  const cheaper = createOf(account, { idempotency, credits: 4 });
  assert.equal((await accept(cheaper)).outcome, 'accepted');
});

test('accepts a key again after 24 hours', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const create = createOf(account, { idempotency: { key: 'daily', requestDigest: 'd' } });
  const accept = acceptAt(0);
  const first = await accept(create);
  await scratch.db.query(
    `update idempotency_keys set created_at = created_at - interval '24 hours' where key = 'daily'`,
  );
  const second = await accept(create);
  assert.deepEqual([first.outcome, second.outcome], ['accepted', 'accepted']);
  assert.equal((await accept(create)).outcome, 'repeated');
});

test('accepts the rest of a batch when the database rejects one item', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const rejected = await seedAccount(scratch.db, { credits: 1000 });
  // One of the statements in the middle, which are sent together.
  const constraint = `constraint planted check (account_id <> '${rejected.accountId}') not valid`;
  await scratch.db.query(`alter table ledger_entries add ${constraint}`);
  const accepts = [account, rejected, account].map((one) => acceptAt(0)(createOf(one)));
  const settled = await Promise.allSettled(accepts);
  await scratch.db.query('alter table ledger_entries drop constraint planted');
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('keeps every invariant through all of this', async () => {
  const { checks } = await checkInvariants(scratch.db);
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  );
});
