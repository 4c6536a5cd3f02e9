/**
 * A create whose response was not received is adopted once, in any process; retry marks find the
 * create they repeat; all other identical creates are tasks of their own.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, generationOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import { waitUntil } from '../../proof/kit/wait-until.ts';
import type { Database } from '../database/database.ts';
import { openPostgres } from '../database/postgres.ts';
import { findBalances } from '../ledger/ledger.ts';
import { requestDigest } from '../tasks/idempotency.ts';
import { deleteOldRecentCreates } from '../tasks/recent-creates.ts';
import type { Task } from '../tasks/task.ts';
import { type AcceptTask, createAcceptTask } from './accept.ts';
import { checkInvariants } from './invariants.ts';
import { openUndeliveredCreates, UndeliveredCreates } from './undelivered-creates.ts';

type Process = { readonly undelivered: UndeliveredCreates; readonly accept: AcceptTask };

const log = pino({ level: 'silent' });
let scratch: ScratchDatabase;
let secondDb: Database;
let first: Process;
let second: Process;
before(async () => {
  scratch = await openScratchDatabase();
  secondDb = await openPostgres(scratch.url);
  first = await openProcess(scratch.db);
  second = await openProcess(secondDb);
});
after(async () => {
  await first.undelivered.close();
  await second.undelivered.close();
  await secondDb.close();
  await scratch.close();
});

const options = {
  ...{ isOnlyProcess: false, log },
  digestOf: async ({ generation, callbackUrl, metadata }: Task) =>
    requestDigest(generation, callbackUrl, metadata),
};

async function openProcess(db: Database): Promise<Process> {
  const undelivered = await openUndeliveredCreates(db, options);
  return { undelivered, accept: createAcceptTask({ db }, { undelivered }) };
}

/** A process that hears no notification. */
function acceptWithoutNotifications(): AcceptTask {
  return createAcceptTask(
    { db: secondDb },
    { undelivered: new UndeliveredCreates(secondDb, options) },
  );
}

const repeatOf = (account: SeededAccount, retryCount: number | null = null, digest = 'd') =>
  createOf(account, { repetition: { keyId: account.keyId, requestDigest: digest, retryCount } });

const refOf = ({ keyId }: SeededAccount) => ({ keyId, requestDigest: 'd' });

async function acceptedId(accepting: ReturnType<AcceptTask>): Promise<string> {
  const outcome = await accepting;
  assert('taskId' in outcome, outcome.outcome);
  return outcome.taskId;
}

/** As the create endpoint notes a client that has gone: not again if the commit has. */
async function unnotedId(accepting: ReturnType<AcceptTask>): Promise<string | null> {
  const outcome = await accepting;
  return 'taskId' in outcome && !outcome.isNoted ? outcome.taskId : null;
}

/** A task whose response was not received, as every process knows. */
async function createUndelivered(account: SeededAccount): Promise<string> {
  const taskId = await acceptedId(first.accept(repeatOf(account)));
  first.undelivered.add(refOf(account), Promise.resolve(taskId));
  await first.undelivered.whenNoted(refOf(account));
  await waitUntil(() => second.undelivered.has(refOf(account)));
  return taskId;
}

async function reservedCredits({ accountId }: SeededAccount): Promise<number> {
  return (await findBalances(scratch.db, [accountId])).get(accountId)!.live.reserved;
}

test('adopts a task in another process, and reserves nothing again', async () => {
  const account = await seedAccount(scratch.db, { credits: 5 });
  const taskId = await createUndelivered(account);
  const outcome = await second.accept(repeatOf(account));
  assert.deepEqual(outcome, { outcome: 'adopted', taskId, credits: 5 });
  assert.equal(await reservedCredits(account), 5);
});

test('lets one of many racing identical creates adopt, and accepts the others', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, at) => (at % 2 ? first : second).accept(repeatOf(account))),
  );
  const adopted = outcomes.filter(({ outcome }) => outcome === 'adopted');
  assert.deepEqual(adopted, [{ outcome: 'adopted', taskId, credits: 5 }]);
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'accepted').length, 9);
  assert.equal(new Set(outcomes.map((one) => 'taskId' in one && one.taskId)).size, 10);
});

test('lets an adopted task be adopted again only after another broken delivery', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  assert.equal(await acceptedId(first.accept(repeatOf(account))), taskId);
  first.undelivered.add(refOf(account), Promise.resolve(taskId));
  await first.undelivered.whenNoted(refOf(account));
  assert.equal(await acceptedId(first.accept(repeatOf(account))), taskId);
  assert.notEqual(await acceptedId(first.accept(repeatOf(account))), taskId);
});

test('adopts by the same key and request only', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const other = await seedAccount(scratch.db, { credits: 100 });
  await createUndelivered(account);
  for (const create of [repeatOf(other), repeatOf(account, null, 'e'), createOf(account)]) {
    assert.equal((await first.accept(create)).outcome, 'accepted');
  }
});

test('does not adopt after ten minutes, and deletes the note later', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  const age = (minutes: number) =>
    scratch.db.query(
      `update recent_creates set created_at = now() - make_interval(mins => $2),
         undelivered_at = now() - make_interval(mins => $2) where task_id = $1`,
      [taskId, minutes],
    );
  await age(11);
  assert.equal((await first.accept(repeatOf(account))).outcome, 'accepted');
  await age(21);
  await deleteOldRecentCreates(scratch.db);
  const left = 'select from recent_creates where task_id = $1';
  assert.equal((await scratch.db.query(left, [taskId])).rowCount, 0);
});

test('does not adopt a task that the client has asked for', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  second.undelivered.received(taskId);
  const undelivered =
    'select from recent_creates where task_id = $1 and undelivered_at is not null';
  await waitUntil(async () => (await scratch.db.query(undelivered, [taskId])).rowCount === 0);
  assert.equal((await first.accept(repeatOf(account))).outcome, 'accepted');
});

test('waits for a create whose client has gone while it is being accepted', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const accepting = first.accept({ ...repeatOf(account), isAbandoned: () => true });
  first.undelivered.add(refOf(account), unnotedId(accepting));
  await first.undelivered.whenNoted(refOf(account));
  const outcome = await first.accept(repeatOf(account));
  assert.deepEqual(outcome, {
    ...outcome,
    outcome: 'adopted',
    taskId: await acceptedId(accepting),
  });
});

test('notes nothing if the create of a client that has gone fails', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  first.undelivered.add(refOf(account), Promise.reject(new Error('not accepted')));
  await first.undelivered.whenNoted(refOf(account));
  assert.equal(first.undelivered.has(refOf(account)), false);
});

test('adopts a task whose commit succeeded although the connection was lost', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const lossy: Pick<Database, 'transaction'> = {
    async transaction(work) {
      await scratch.db.transaction(work);
      throw new Error('the connection to the database was lost');
    },
  };
  const { undelivered } = first;
  const accept = createAcceptTask({ db: lossy as Database }, { undelivered });
  await assert.rejects(accept(repeatOf(account)), /lost/);
  await undelivered.whenNoted(refOf(account));
  assert.equal((await first.accept(repeatOf(account))).outcome, 'adopted');
  assert.equal(await reservedCredits(account), 5);
});

test('adopts a task whose status request failed, by the key that created it', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const digest = requestDigest(generationOf(), null);
  const taskId = await acceptedId(first.accept(repeatOf(account, null, digest)));
  second.undelivered.addTask({ taskId, keyId: 'key_ofAnother' });
  await second.undelivered.whenNoted(refOf(account));
  assert.equal(second.undelivered.has({ ...account, requestDigest: digest }), false);
  second.undelivered.addTask({ taskId, keyId: account.keyId });
  await second.undelivered.whenNoted({ ...account, requestDigest: digest });
  assert.equal(await acceptedId(second.accept(repeatOf(account, null, digest))), taskId);
});

test('reads notes of the time before the process started', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  const restarted = await openProcess(scratch.db);
  const outcome = await restarted.accept(repeatOf(account));
  await restarted.undelivered.close();
  assert.deepEqual(outcome, { outcome: 'adopted', taskId, credits: 5 });
});

test('gives every retry mark of a request the first response, in any process', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await acceptedId(first.accept(repeatOf(account, 0)));
  for (const [mark, { accept }] of [first, second, first].entries()) {
    const outcome = await accept(repeatOf(account, mark + 1));
    assert.deepEqual(outcome, { outcome: 'repeated', taskId, credits: 5 });
  }
  assert.equal(await reservedCredits(account), 5);
});

test('accepts a retry whose first request never arrived', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await acceptedId(first.accept(repeatOf(account, 1)));
  assert.equal(await acceptedId(second.accept(repeatOf(account, 2))), taskId);
});

test('gives no retry a task that its client has named', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const lost = await acceptedId(first.accept(repeatOf(account, 0)));
  const received = await acceptedId(first.accept(repeatOf(account, 0)));
  first.undelivered.received(received);
  const sql = 'select from recent_creates where task_id = $1';
  await waitUntil(async () => (await scratch.db.query(sql, [received])).rowCount === 0);
  assert.equal(await acceptedId(second.accept(repeatOf(account, 1))), lost);
});

test('keeps two intended requests with marks apart, also in their retries', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const create = (mark: number) => acceptedId(first.accept(repeatOf(account, mark)));
  const both = new Set(await Promise.all([create(0), create(0)]));
  assert.equal(both.size, 2);
  assert.deepEqual(new Set(await Promise.all([create(1), create(1)])), both);
});

test('keeps every invariant through all of this', async () => {
  const { checks } = await checkInvariants(scratch.db);
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  );
});

const identical = (account: SeededAccount, isAbandoned: boolean) => {
  const create = createOf(account);
  const { generation, callbackUrl, metadata } = create;
  const digest = requestDigest(generation, callbackUrl, metadata ?? null);
  return { ...repeatOf(account, null, digest), isAbandoned: () => isAbandoned };
};

test('drops a create whose client has gone when the repeated one has overtaken it', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  await acceptedId(second.accept(identical(account, false)));
  assert.deepEqual(await first.accept(identical(account, true)), { outcome: 'overtaken' });
  assert.equal(await reservedCredits(account), 5);
});

test('adopts a task that is noted only after the repeated create has arrived', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  const abandoned = first.accept(identical(account, true));
  const repeated = first.accept(identical(account, false));
  first.undelivered.add(identical(account, true).repetition!, unnotedId(abandoned));
  const taskId = await acceptedId(abandoned);
  assert.deepEqual(await repeated, { outcome: 'adopted', taskId, credits: 5 });
});

test('accepts a create whose client has gone when nothing has overtaken it', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  await acceptedId(second.accept(repeatOf(account)));
  await acceptedId(first.accept({ ...repeatOf(account, null, 'other'), isAbandoned: () => true }));
  assert.equal(await reservedCredits(account), 10);
});

test('gives the task of a client that has gone to another process in the same commit', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  const abandoned = await first.accept(identical(account, true));
  assert('taskId' in abandoned);
  assert.equal(abandoned.isNoted, true);
  const { taskId } = abandoned;
  const repeated = await acceptWithoutNotifications()(identical(account, false));
  assert.deepEqual(repeated, { outcome: 'adopted', taskId, credits: 5 });
  const intended = await acceptWithoutNotifications()(identical(account, false));
  assert.equal(intended.outcome, 'accepted');
});

test('creates one task if a client that has gone repeats at another process at once', async () => {
  const accept = acceptWithoutNotifications();
  for (let run = 0; run < 20; run++) {
    const account = await seedAccount(scratch.db, { credits: 20 });
    const [abandoned, repeated] = await Promise.all([
      first.accept(identical(account, true)),
      accept(identical(account, false)),
    ]);
    assert.equal(await reservedCredits(account), 5, `${abandoned.outcome}, ${repeated.outcome}`);
  }
});

test('notes a client that leaves while its create is being written', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  let asked = 0;
  const leaving = { ...identical(account, false), isAbandoned: () => ++asked > 2 };
  const taskId = await acceptedId(first.accept(leaving));
  assert.equal(await acceptedId(second.accept(identical(account, false))), taskId);
});

test('creates one task if the client repeats at the same process while it commits', async () => {
  const undelivered = new UndeliveredCreates(scratch.db, { ...options, isOnlyProcess: true });
  const accept = createAcceptTask({ db: scratch.db }, { undelivered });
  for (let run = 0; run < 20; run++) {
    const account = await seedAccount(scratch.db, { credits: 20 });
    const abandoned = accept(identical(account, true));
    undelivered.add(identical(account, true).repetition!, unnotedId(abandoned));
    // Each further turn is a later step of the first batch.
    for (let turn = 0; turn < run; turn++) await setImmediate();
    const repeated = await accept(identical(account, false));
    assert.equal(await reservedCredits(account), 5, `run ${run}: ${repeated.outcome}`);
  }
});
