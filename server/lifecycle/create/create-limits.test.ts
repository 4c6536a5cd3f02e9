/**
 * Spending caps, limits of tasks in progress, suspensions and deductions are exact beside parallel
 * creates of two processes, and keep every invariant.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keyModes } from '@vidgen/contract/models.ts';
import { openScratchDatabase } from '../../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount, testSecret } from '../../../proof/kit/seed.ts';
import { setAccountLimits } from '../../accounts/account.ts';
import { createApiKey, findKeys } from '../../accounts/keys/api-key.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import {
  findKeySpending,
  type SpendingCap,
  subtractKeySpending,
} from '../../accounts/keys/key-spending.ts';
import { resumeAccount, suspendAccount } from '../../accounts/suspension.ts';
import { openPostgres } from '../../database/postgres.ts';
import { findBalances, lockBalances } from '../../ledger/ledger.ts';
import { listOpenNotices } from '../../messages/notice.ts';
import { webhookPayload } from '../../tasks/view.ts';
import { createLog } from '../../telemetry/log.ts';
import { type AcceptTask, createAcceptTask } from '../accept.ts';
import { checkInvariants } from '../checks/invariants.ts';
import { createSettle } from '../settle.ts';
import { acceptedOrThrow } from './accept-decision.ts';
import { setSpendingCap } from './create-limits.ts';

const scratch = await openScratchDatabase();
const second = await openPostgres(scratch.url);
const acceptors = [scratch.db, second].map((db) => createAcceptTask({ db }));
const settle = createSettle({
  db: scratch.db,
  log: createLog('silent'),
  callbackBody: (task) => webhookPayload(task, (_, key) => `https://results.example.test/${key}`),
  settings: { resultTtlSeconds: 86_400 },
});
after(async () => {
  await second.close();
  await scratch.close();
});

type Outcome = Awaited<ReturnType<AcceptTask>>;

/** Creates that arrive together, in turn at both processes. */
const createTogether = (account: SeededAccount, count: number, credits = 5): Promise<Outcome[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      acceptors[at % 2]!(createOf(account, { credits, requestId: `req_${at}` })),
    ),
  );

const countOf = (outcomes: readonly Outcome[], wanted: Outcome['outcome']): number =>
  outcomes.filter(({ outcome }) => outcome === wanted).length;

const taskIdsOf = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap((one) => ('taskId' in one ? one.taskId : []));

async function cap(account: SeededAccount, spendingCap: SpendingCap | null) {
  const [key] = await findKeys(scratch.db, [account.keyId]);
  return await scratch.db.transaction((tx) => setSpendingCap(tx, key!, spendingCap));
}

/** What the counter says, after comparing it with the tasks of the key. */
async function usedOf({ keyId }: SeededAccount): Promise<number> {
  const { used } = (await findKeySpending(scratch.db, [keyId])).get(keyId)!;
  const { rows } = await scratch.db.query<{ credits: number }>(
    `select coalesce(sum(credits), 0)::bigint as credits from tasks
     where key_id = $1 and billing_status <> 'refunded'`,
    [keyId],
  );
  assert.equal(used, rows[0]!.credits);
  return used;
}

const fail = ({ accountId }: SeededAccount, taskId: string) =>
  settle({
    taskId,
    accountId,
    mode: 'live',
    end: 'failed',
    reason: 'cancelled',
    attempt: 'cancelled',
  });

const availableOf = async ({ accountId }: SeededAccount): Promise<number> =>
  (await findBalances(scratch.db, [accountId])).get(accountId)!.live.available;

test('accepts 10 of 50 parallel creates of two processes if the cap suffices for 10', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  await cap(account, { credits: 53, period: 'day' });
  const outcomes = await createTogether(account, 50);
  assert.deepEqual([countOf(outcomes, 'accepted'), countOf(outcomes, 'capped')], [10, 40]);
  assert.equal(await usedOf(account), 50);
  assert.equal(await availableOf(account), 950);
  const notices = await listOpenNotices(scratch.db, 'key_cap_reached');
  const ofAccount = notices.filter(({ accountId }) => accountId === account.accountId);
  assert.deepEqual(
    ofAccount.map(({ detail }) => detail),
    [{ key_id: account.keyId, key_name: 'Test', cap: 53, period: 'day' }],
  );
});

test('names price, use, cap, period and renewal when the cap is reached', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  await cap(account, { credits: 12, period: 'month' });
  await createTogether(account, 2);
  const [refused] = await createTogether(account, 1);
  assert(refused?.outcome === 'capped');
  assert.throws(() => acceptedOrThrow(refused, 5), {
    code: 'insufficient_credits',
    message:
      'This task costs 5 credits, and this API key has used 10 of its cap of 12 credits per ' +
      'month; ask an account owner to raise the cap, or wait until ' +
      `${refused.spending.renewsAt!.toISOString().slice(0, 8)}01 (UTC).`,
    details: { required: 5, available: 2 },
  });
});

test('a refund gives its credits back to the cap, once', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  await cap(account, { credits: 10, period: 'total' });
  const [first] = taskIdsOf(await createTogether(account, 3));
  assert.equal(await usedOf(account), 10);
  await Promise.all([fail(account, first!), fail(account, first!)]);
  assert.equal(await usedOf(account), 5);
  const outcomes = await createTogether(account, 2);
  assert.deepEqual([countOf(outcomes, 'accepted'), countOf(outcomes, 'capped')], [1, 1]);
});

test('counts what the key used in the period before the cap was set', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const [first] = taskIdsOf(await createTogether(account, 4));
  const [, set] = await Promise.all([
    createTogether(account, 20),
    cap(account, { credits: 500, period: 'day' }),
  ]);
  assert((set?.used ?? 0) >= 20);
  assert.equal(await usedOf(account), 120);
  await fail(account, first!);
  assert.equal(await usedOf(account), 115);
  // A cap that is set again counts anew instead of on top.
  await cap(account, { credits: 500, period: 'day' });
  assert.equal(await usedOf(account), 115);
  // A cap below the use accepts nothing more and takes nothing back.
  await cap(account, { credits: 1, period: 'month' });
  assert.equal(await usedOf(account), 115);
  assert.equal(countOf(await createTogether(account, 2), 'capped'), 2);
  await cap(account, null);
  assert.equal(countOf(await createTogether(account, 2), 'accepted'), 2);
});

test('a new period begins with nothing used; late refunds are of the period before', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  await cap(account, { credits: 10, period: 'day' });
  await createTogether(account, 2);
  await scratch.db.query(`update key_spending set starts_on = starts_on - 1 where key_id = $1`, [
    account.keyId,
  ]);
  assert.equal(countOf(await createTogether(account, 3), 'accepted'), 2);
  const createdAt = new Date(Date.now() - 86_400_000);
  await scratch.db.transaction((tx) =>
    subtractKeySpending(tx, [{ keyId: account.keyId, createdAt, credits: 5 }]),
  );
  const { rows } = await scratch.db.query(
    'select credits from key_spending where key_id = $1 order by starts_on',
    [account.keyId],
  );
  assert.deepEqual(rows, [{ credits: 5 }, { credits: 10 }]);
});

test('a cap of one key does not limit another key of the account', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  await cap(account, { credits: 0, period: 'total' });
  const { accountId } = account;
  const { id: keyId } = await scratch.db.transaction((tx) =>
    createApiKey(tx, { pepper: keyPepper(testSecret), accountId, mode: 'live', name: 'Other' }),
  );
  const outcomes = await Promise.all([
    createTogether(account, 5),
    createTogether({ ...account, keyId }, 5),
  ]);
  assert.deepEqual(
    outcomes.map((of) => countOf(of, 'accepted')),
    [0, 5],
  );
});

test('accepts as many parallel creates as an account may have in progress', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const { accountId } = account;
  await scratch.db.transaction((tx) => setAccountLimits(tx, accountId, { runningTasksMax: 7 }));
  const outcomes = await createTogether(account, 50);
  assert.deepEqual([countOf(outcomes, 'accepted'), countOf(outcomes, 'too_many_running')], [7, 43]);
  const refused = outcomes.find((one) => one.outcome === 'too_many_running')!;
  assert.throws(() => acceptedOrThrow(refused, 5), {
    code: 'rate_limited',
    message:
      'Limit of 7 tasks in progress for this account reached; retry in 10 seconds, or when a ' +
      'task has ended.',
    details: { retryAfter: 10 },
  });
  // An ended task makes room for one.
  await fail(account, taskIdsOf(outcomes)[0]!);
  assert.equal(countOf(await createTogether(account, 10), 'accepted'), 1);
  await scratch.db.transaction((tx) => setAccountLimits(tx, accountId, { runningTasksMax: 0 }));
  assert.equal(countOf(await createTogether(account, 10), 'accepted'), 10);
});

test('the installation limits accounts that have no limit of their own', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const accept = createAcceptTask({ db: scratch.db }, { runningTasksMax: 3 });
  const creates = Array.from({ length: 5 }, () => accept(createOf(account)));
  assert.equal(countOf(await Promise.all(creates), 'accepted'), 3);
  const { accountId } = account;
  await scratch.db.transaction((tx) => setAccountLimits(tx, accountId, { runningTasksMax: 4 }));
  const more = Array.from({ length: 5 }, () => accept(createOf(account)));
  assert.equal(countOf(await Promise.all(more), 'accepted'), 1);
});

test('accepts no create after the suspension, and all again after resuming', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const { accountId } = account;
  const creates = createTogether(account, 60);
  const reservedAtSuspension = await second.transaction(async (tx) => {
    await lockBalances(
      tx,
      keyModes.map((mode) => ({ accountId, mode })),
    );
    await suspendAccount(tx, { accountId, note: 'a test' });
    return (await findBalances(tx, [accountId])).get(accountId)!.live.reserved;
  });
  const outcomes = await creates;
  const { live } = (await findBalances(scratch.db, [accountId])).get(accountId)!;
  assert.equal(live.reserved, reservedAtSuspension);
  assert.equal(countOf(outcomes, 'accepted') * 5, reservedAtSuspension);
  const [refused] = await createTogether(account, 1);
  assert(refused?.outcome === 'unauthorized');
  assert.match(refused.error.message, /^The account of this API key is suspended; ask /);
  await scratch.db.transaction((tx) => resumeAccount(tx, accountId));
  assert.equal(countOf(await createTogether(account, 3), 'accepted'), 3);
});

test('a deduction beside creates never takes more than is available', async () => {
  const account = await seedAccount(scratch.db, { credits: 100 });
  const key = { accountId: account.accountId, mode: 'live' } as const;
  const deduct = (amount: number) =>
    second.transaction(async (tx) => {
      const ledger = await lockBalances(tx, [key]);
      const outcome = ledger.deduct(key, { amount, note: 'too much', reference: null });
      await ledger.flush();
      return outcome.outcome;
    });
  const [outcomes, ...deductions] = await Promise.all([
    createTogether(account, 30),
    ...Array.from({ length: 10 }, () => deduct(10)),
  ]);
  const taken = deductions.filter((outcome) => outcome === 'deducted').length * 10;
  assert.equal(await availableOf(account), 100 - taken - countOf(outcomes, 'accepted') * 5);
  const { rows } = await scratch.db.query<{ granted: number }>(
    `select granted from balances where account_id = $1 and mode = 'live'`,
    [account.accountId],
  );
  assert.equal(rows[0]!.granted, 100 - taken);
});

test('keeps every invariant through all of this', async () => {
  const { checks } = await checkInvariants(scratch.db);
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  );
});
