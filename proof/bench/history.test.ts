/**
 * Lists, counts and checks read as many rows of a long history as of a short one.
 *
 * Thorough: loads a history of tasks.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listAccounts } from '../../server/accounts/search-accounts.ts';
import type { Queryable, Transaction } from '../../server/database/database.ts';
import { listEntries, listTaskEntries } from '../../server/ledger/entries.ts';
import { checkInvariants } from '../../server/lifecycle/checks/invariants.ts';
import { nowMs } from '../../server/process/clock.ts';
import { countPending, countTasks } from '../../server/tasks/task-counts.ts';
import { listTasks } from '../../server/tasks/task-list.ts';
import { findSimilarTimes, readUsage } from '../../server/tasks/usage.ts';
import { countDeliveries } from '../../server/webhooks/delivery.ts';
import { listDeliveries } from '../../server/webhooks/list-deliveries.ts';
import { countRowsRead } from '../kit/rows-read.ts';
import { openScratchDatabase, type ScratchDatabase } from '../kit/scratch-database.ts';
import { type SeededAccount, seedAccount } from '../kit/seed.ts';
import { loadHistory } from './history.ts';
import { creditsEach } from './service-stack.ts';

type History = ScratchDatabase & {
  readonly account: SeededAccount;
  readonly idle: SeededAccount;
  readonly taskId: string;
};

async function openHistory(tasks: number): Promise<History> {
  const scratch = await openScratchDatabase();
  const account = await seedAccount(scratch.db, { credits: creditsEach });
  for (let nth = 1; nth < accounts; nth++) await seedAccount(scratch.db, { credits: creditsEach });
  await loadHistory(scratch.db, { tasks, log: () => {} });
  await scratch.db.transaction((tx) => moveToTestMode(tx, account.accountId));
  await scratch.db.runAlone('vacuum analyze');
  const [task] = await listTasks(scratch.db, { accountId: account.accountId, limit: 1 });
  const idle = await seedAccount(scratch.db);
  return { ...scratch, account, idle, taskId: task!.id };
}

/** Most entries and tasks are in test mode then, so that plans expect to find some soon. */
async function moveToTestMode(tx: Transaction, exceptAccountId: string): Promise<void> {
  await tx.query('set local session_replication_role = replica');
  await tx.query(`delete from balances where mode = 'test' and account_id <> $1`, [
    exceptAccountId,
  ]);
  for (const table of ['tasks', 'ledger_entries', 'balances', 'usage_days']) {
    await tx.query(`update ${table} set mode = 'test' where account_id <> $1`, [exceptAccountId]);
  }
}

const accounts = 20;
const timesMany = 8;
const tasksFew = 4_000;
let few: History;
let many: History;
before(async () => {
  few = await openHistory(tasksFew);
  many = await openHistory(timesMany * tasksFew);
});
after(async () => {
  await few?.close();
  await many?.close();
});

type Read = (db: Queryable, history: History) => Promise<unknown>;
const limit = 21;
const kinds = ['grant', 'reserve', 'charge', 'refund', 'suspend', 'release'];

const dayMs = 86_400_000;
/** A day is added up two hours after its end. */
const today = Math.floor((nowMs() - 2 * 3_600_000) / dayMs) * dayMs;
const month = { since: new Date(today - 30 * dayMs), until: new Date(today) };

const reads: Readonly<Record<string, Read>> = {
  'tasks of an account': (db, { account: { accountId } }) => listTasks(db, { accountId, limit }),
  'tasks of an idle account': (db, { idle: { accountId } }) => listTasks(db, { accountId, limit }),
  'failed tasks of an idle account': (db, { idle: { accountId } }) =>
    listTasks(db, { accountId, status: 'failed', limit }),
  'tasks of an account in test mode, of which there are none': (db, { account: { accountId } }) =>
    listTasks(db, { accountId, mode: 'test', limit }),
  'failed tasks of an account': (db, { account: { accountId } }) =>
    listTasks(db, { accountId, status: 'failed', limit }),
  'queued tasks, of which there are none': (db) => listTasks(db, { status: 'queued', limit }),
  'reserved tasks, of which there are none': (db, { account: { accountId } }) =>
    listTasks(db, { accountId, billingStatus: 'reserved', limit }),
  'failed tasks of all accounts': (db) => listTasks(db, { status: 'failed', limit }),
  'tasks that timed out, of which there are none': (db) =>
    listTasks(db, { failedReason: 'timed_out', limit }),
  'timed out tasks of an account, of which there are none': (db, { account: { accountId } }) =>
    listTasks(db, { accountId, failedReason: 'timed_out', limit }),
  'failed refunds, of which there are none': (db) =>
    listTasks(db, { billingStatus: 'refund_failed', limit }),
  'entries of an account': (db, { account: { accountId } }) =>
    listEntries(db, { accountId, limit }),
  'entries of an account in test mode, of which there are none': (db, { account: { accountId } }) =>
    listEntries(db, { accountId, mode: 'test', limit }),
  'entries of an idle account': (db, { idle: { accountId } }) =>
    listEntries(db, { accountId, limit }),
  ...Object.fromEntries(
    kinds.map((kind): [string, Read] => [
      `${kind} entries of an account`,
      (db, { account: { accountId } }) => listEntries(db, { accountId, kind, limit }),
    ]),
  ),
  'entries of a task in a statement': (db, { account: { accountId }, taskId }) =>
    listEntries(db, { accountId, taskId, limit }),
  'entries of a task': (db, { taskId }) => listTaskEntries(db, taskId),
  'deliveries of an account': (db, { account: { accountId } }) =>
    listDeliveries(db, { accountId, limit }),
  'test deliveries, of which there are none': (db, { account: { accountId } }) =>
    listDeliveries(db, { accountId, mode: 'test', limit }),
  'exhausted deliveries, of which there are none': (db, { account: { accountId } }) =>
    listDeliveries(db, { accountId, status: 'exhausted', limit }),
  'a page in the middle of an export': async (db, { account: { accountId } }) => {
    const [task] = (await listTasks(db, { accountId, limit: 50 })).slice(-1);
    await listTasks(db, { accountId, beforeId: task!.id, limit: 100 });
  },
  accounts: (db) => listAccounts(db, { limit }),
  'times of similar tasks': (db) =>
    findSimilarTimes(db, {
      mode: 'live',
      model: 'vidgen-2-0-mini',
      resolution: '480p',
      duration: 5,
    }),
  'counts for metrics': (db) => Promise.all([countTasks(db), countDeliveries(db)]),
  'counts of what is pending': (db) => countPending(db),
  'new rows of the invariant check': (db) => checkInvariants(db, { scope: 'new' }),
};

for (const [name, read] of Object.entries(reads)) {
  test(`reads ${name} at a cost that does not grow`, async () => {
    const ofFew = await countRowsRead(few.db, (db) => read(db, few));
    const ofMany = await countRowsRead(many.db, (db) => read(db, many));
    // The number of rows above a limit depends on where pages end.
    assert.ok(ofMany <= ofFew * 1.15 + 5, `${ofMany} rows instead of ${ofFew}`);
  });
}

test('reads usage of whole days by the day, and not by the task', async () => {
  const filter = { accountId: many.account.accountId, mode: 'live', ...month } as const;
  const rows = await countRowsRead(many.db, (db) => readUsage(db, filter));
  // Completed and failed tasks of each day, and where the days begin.
  assert.ok(rows > 30 && rows <= 2 * 30 + 1, `${rows} rows`);
});

test('checks a slice of the invariants without reading the rest of a table', async () => {
  const check = (db: Queryable) => checkInvariants(db, { sliceRows: 200 });
  const ofFew = await countRowsRead(few.db, check);
  const ofMany = await countRowsRead(many.db, check);
  assert.ok(ofMany <= ofFew * timesMany, `${ofMany} rows of ${timesMany} times ${ofFew}`);
});
