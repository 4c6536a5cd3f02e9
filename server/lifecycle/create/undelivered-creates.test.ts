/**
 * Creates without an idempotency key: one whose client has disconnected is not accepted, one whose
 * response could not be written gives its task to the next identical create, in any process.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { openScratchDatabase } from '../../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../../proof/kit/seed.ts';
import { openPostgres } from '../../database/postgres.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { type AcceptTask, createAcceptTask } from '../accept.ts';
import { UndeliveredCreates } from './undelivered-creates.ts';

const scratch = await openScratchDatabase();
const secondDb = await openPostgres(scratch.url);
const first = createAcceptTask({ db: scratch.db });
/** Belongs to another process. */
const second = createAcceptTask({ db: secondDb });
const undelivered = new UndeliveredCreates(scratch.db, pino({ level: 'silent' }));
after(async () => {
  await undelivered.close();
  await secondDb.close();
  await scratch.close();
});

const refOf = ({ keyId }: SeededAccount, requestDigest = 'd') => ({ keyId, requestDigest });

const identical = (account: SeededAccount, isDisconnected = () => false) =>
  createOf(account, { requestRef: refOf(account), isDisconnected });

async function acceptedId(accepting: ReturnType<AcceptTask>): Promise<string> {
  const outcome = await accepting;
  assert('taskId' in outcome, outcome.outcome);
  return outcome.taskId;
}

async function createUndelivered(account: SeededAccount): Promise<string> {
  const taskId = await acceptedId(first(identical(account)));
  undelivered.record(refOf(account), Promise.resolve(taskId));
  await undelivered.waitUntilRecorded(refOf(account));
  return taskId;
}

async function reservedCredits({ accountId }: SeededAccount): Promise<number> {
  return (await findBalances(scratch.db, [accountId])).get(accountId)!.live.reserved;
}

test('gives an undelivered task to one of many racing identical creates', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, at) => (at % 2 ? first : second)(identical(account))),
  );
  const adopted = outcomes.filter(({ outcome }) => outcome === 'adopted');
  assert.deepEqual(adopted, [{ outcome: 'adopted', taskId, credits: 5 }]);
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'accepted').length, 9);
  assert.equal(await reservedCredits(account), 50);
});

test('recognizes the same key and request only, for ten minutes', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const other = await seedAccount(scratch.db, { credits: 100 });
  const taskId = await createUndelivered(account);
  const another = createOf(account, { requestRef: refOf(account, 'e') });
  for (const create of [identical(other), another, createOf(account)]) {
    assert.equal((await first(create)).outcome, 'accepted');
  }
  const age = `now() - interval '601 s'`;
  await scratch.db.query(
    `update undelivered_creates set undelivered_at = ${age} where task_id = $1`,
    [taskId],
  );
  assert.equal((await first(identical(account))).outcome, 'accepted');
});

test('records in its own commit that a client left while its create was written', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  let asked = 0;
  const outcome = await first(identical(account, () => ++asked > 1));
  assert('taskId' in outcome);
  assert.equal(outcome.isRecorded, true);
  assert.equal(await acceptedId(second(identical(account))), outcome.taskId);
  assert.equal((await second(identical(account))).outcome, 'accepted');
});

test('lets an identical create wait for one whose client has gone', async () => {
  const account = await seedAccount(scratch.db, { credits: 20 });
  const accepting = acceptedId(first(identical(account)));
  undelivered.record(refOf(account), accepting);
  const taken = await undelivered.take(refOf(account));
  assert.deepEqual(taken, { taskId: await accepting, credits: 5 });
  assert.equal(await undelivered.take(refOf(account)), null);
});
