/**
 * Settling many tasks at once against settling them one by one: the same ends, the same books, and
 * nobody suffers for a neighbour.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openScratchDatabase, type ScratchDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import type { Database } from '../database/database.ts';
import { checkInvariants } from '../ledger/invariants.ts';
import { closeBalances, findBalances } from '../ledger/ledger.ts';
import { createLog } from '../log.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { claim, reschedule } from '../queue/queue.ts';
import { rescue } from '../queue/rescuer.ts';
import { listAttempts, openAttempt, recordOperation } from '../tasks/attempts.ts';
import { findTasks, moveToGenerating } from '../tasks/store.ts';
import type { Task } from '../tasks/task.ts';
import { createAcceptTask } from './accept.ts';
import type { BatchedPollOps } from './context.ts';
import { type Settler, settleFailed, taskRef } from './settle.ts';
import { createBatchSettler } from './settle-batch.ts';

let scratch: ScratchDatabase;
before(async () => {
  scratch = await openScratchDatabase();
});
after(() => scratch.close());

const settlerOf = (db: Database): Settler => ({
  db,
  log: createLog('silent'),
  resultUrl: (task, key) => `https://results.example.test/${task.id}/${key}`,
  settings: {
    taskTimeoutSeconds: 3600,
    resultTtlSeconds: 86_400,
    webhookRetryDelaysSeconds: [1],
    providerCallbackBaseUrl: null,
    tempFolder: '/nowhere',
  },
});

type SettleOps = Pick<BatchedPollOps, 'complete' | 'fail'>;
type PreparedTask = { readonly task: Task; readonly job: Job };

/** All there is. */
const claimAll = {
  owner: 'a',
  jobsMax: 100,
  perAccountMax: 100,
  perReceiverMax: 100,
  includeIsolated: true,
};

/** Tasks that a provider has, and the jobs that a worker holds for them. */
async function prepareGenerating(
  accounts: readonly SeededAccount[],
  count: number,
): Promise<PreparedTask[]> {
  const { db } = scratch;
  await db.query('delete from jobs');
  const accept = createAcceptTask({ db });
  const callbackUrl = 'https://receiver.example.test/';
  const accepted = await Promise.all(
    Array.from({ length: count }, (_, at) => {
      const webhook = at % 2 === 0 ? { callbackUrl } : {};
      return accept(createOf(accounts[at % accounts.length]!, { credits: 1 + at, ...webhook }));
    }),
  );
  const ids = accepted.map((one) => ('taskId' in one ? one.taskId : assert.fail(one.outcome)));
  for (const job of await claim(db, { ...claimAll, queue: 'work' })) {
    const { taskId } = job;
    await db.transaction(async (tx) => {
      await moveToGenerating(tx, taskId);
      const reference = `ref ${taskId}`;
      await openAttempt(tx, { taskId, provider: 'p', credential: null, reference });
      await recordOperation(tx, { taskId, number: 1, operation: `op ${taskId}` });
      await reschedule(tx, job, { kind: 'poll', delaySeconds: 0, retry: false });
    });
  }
  const jobs = new Map(
    (await claim(db, { ...claimAll, queue: 'looks' })).map((j) => [j.taskId, j]),
  );
  const tasks = await findTasks(db, ids);
  return tasks.map((task) => ({ task: task!, job: jobs.get(task!.id)! }));
}

type Step = { readonly which: number; readonly end: 'completed' | 'failed' };
/** What happened to a task before its end was written. */
type Fate = 'held' | 'lease-lost' | 'cancelled';
type Scenario = {
  readonly fates: readonly Fate[];
  readonly closed: boolean;
  readonly steps: readonly Step[];
};

const tasksMax = 6;
const scenario: fc.Arbitrary<Scenario> = fc.record({
  fates: fc.array(fc.constantFrom<Fate>('held', 'held', 'held', 'lease-lost', 'cancelled'), {
    minLength: tasksMax,
    maxLength: tasksMax,
  }),
  closed: fc.boolean(),
  steps: fc.array(
    fc.record({
      which: fc.nat({ max: tasksMax - 1 }),
      end: fc.constantFrom<Step['end']>('completed', 'failed'),
    }),
    { maxLength: 10 },
  ),
});

async function applyStep(settling: SettleOps, { task, job }: PreparedTask, { end }: Step) {
  const result = { video: `${task.id}/1/video.mp4`, lastFrame: null };
  try {
    if (end === 'completed') {
      await settling.complete({ ...taskRef(task), job, result, outputSeconds: 5 });
      return 'done';
    }
    const reason = 'provider_failed';
    const failed = await settling.fail({ ...taskRef(task), job, reason, attempt: 'failed' });
    return failed ? 'failed' : 'late';
  } catch (error) {
    assert.ok(error instanceof LeaseLost, String(error));
    return 'lease-lost';
  }
}

/** Runs a mix, and tells everything it left behind, without ids and times. */
async function outcomeOf({ fates, closed, steps }: Scenario, order: 'together' | 'one by one') {
  const { db } = scratch;
  const accounts = [
    await seedAccount(db, { credits: 1000 }),
    await seedAccount(db, { credits: 1000 }),
  ];
  const prepared = await prepareGenerating(accounts, tasksMax);
  const settler = settlerOf(db);
  for (const [at, { task, job }] of prepared.entries()) {
    if (fates[at] === 'cancelled') {
      const reason = 'cancelled';
      await settleFailed(settler, { ...taskRef(task), reason, attempt: 'cancelled' });
    }
    if (fates[at] !== 'lease-lost') continue;
    await db.query(`update jobs set lease_until = now() - interval '1 s' where id = $1`, [job.id]);
    await rescue(db);
    await claim(db, { ...claimAll, owner: 'b', queue: 'looks', jobsMax: 9 });
  }
  if (closed) await db.transaction((tx) => closeBalances(tx, accounts[0]!.accountId));
  const settling = createBatchSettler(settler);
  const outcomes: string[] = [];
  if (order === 'together') {
    const all = steps.map((step) => applyStep(settling, prepared[step.which]!, step));
    outcomes.push(...(await Promise.all(all)));
  } else {
    for (const step of steps) outcomes.push(await applyStep(settling, prepared[step.which]!, step));
  }
  return { outcomes, state: await readState(prepared, accounts) };
}

async function readState(prepared: readonly PreparedTask[], accounts: readonly SeededAccount[]) {
  const { db } = scratch;
  const tasks = await findTasks(
    db,
    prepared.map(({ task }) => task.id),
  );
  const balances = await findBalances(
    db,
    accounts.map(({ accountId }) => accountId),
  );
  const rows = await Promise.all(
    tasks.map(async (task) => {
      const values = [task!.id];
      const { rows: jobs } = await db.query(
        `select kind, lane, lease_owner from jobs where task_id = $1 order by kind`,
        values,
      );
      const { rows: calls } = await db.query(
        `select replace(body, task_id, 'it')::jsonb - 'created_at' as body from deliveries
         where task_id = $1`,
        values,
      );
      const { rows: entries } = await db.query(
        `select kind, amount from ledger_entries where task_id = $1 order by number`,
        values,
      );
      const attempts = (await listAttempts(db, task!.id)).map(({ outcome, outputSeconds }) => {
        return { outcome, outputSeconds };
      });
      const { status, billingStatus, failedReason, progress } = task!;
      const bodies = calls.map(({ body }) => shapeOf(body));
      const ended = { status, billingStatus, failedReason, progress };
      return { ...ended, jobs, calls: bodies, entries, attempts };
    }),
  );
  return { rows, balances: accounts.map(({ accountId }) => balances.get(accountId)!.live) };
}

/** Signed addresses and times differ; that they are there does not. */
const shapeOf = (body: unknown): string =>
  JSON.stringify(body).replace(/"(https:|\d{4}-)[^"]*"|(?<="processing_time":)\d+/g, '…');

test('any mix of ends leaves what it would leave one by one', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (one) => {
      const batched = await outcomeOf(one, 'together');
      const sequential = await outcomeOf(one, 'one by one');
      assert.deepEqual(batched, sequential);
    }),
    { numRuns: 15 },
  );
  const { checks } = await checkInvariants(scratch.db);
  // Jobs of other mixes were thrown away: only the books are looked at.
  assert.deepEqual(
    checks.slice(0, 3).flatMap(({ offenders }) => offenders),
    [],
  );
});

test('ninety tasks that end together are one commit or two', async () => {
  const { db } = scratch;
  const account = await seedAccount(db, { credits: 100_000 });
  const prepared = await prepareGenerating([account], 90);
  let commits = 0;
  const counted: Database = {
    ...delegate(db),
    transaction: (work) => {
      commits += 1;
      return db.transaction(work);
    },
  };
  const settling = createBatchSettler(settlerOf(counted));
  const step = { which: 0, end: 'completed' } as const;
  const outcomes = await Promise.all(prepared.map((one) => applyStep(settling, one, step)));
  assert.deepEqual(new Set(outcomes), new Set(['done']));
  assert.ok(commits <= 2, `${commits} commits`);
  const { live } = (await findBalances(db, [account.accountId])).get(account.accountId)!;
  assert.equal(live.reserved, 0);
  assert.equal(live.spent, (90 * 91) / 2);
});

const delegate = (db: Database): Database => ({
  engine: db.engine,
  query: (text, values) => db.query(text, values),
  transaction: (work) => db.transaction(work),
  listen: (channel, onNotify) => db.listen(channel, onNotify),
  close: () => db.close(),
});

/** While it works, a refund of this task is answered with an error, whatever the code does. */
async function withRefundError(
  { taskId, errorCode }: { readonly taskId: string; readonly errorCode: string },
  work: () => Promise<void>,
): Promise<void> {
  const { db } = scratch;
  await db.query(`create function refuse_one() returns trigger language plpgsql as $$
    begin
      if new.task_id = '${taskId}' and new.kind = 'refund' then
        raise exception 'not this one' using errcode = '${errorCode}';
      end if;
      return new;
    end $$`);
  await db.query(`create trigger refuse_one before insert on ledger_entries
    for each row execute function refuse_one()`);
  try {
    await work();
  } finally {
    await db.query('drop function refuse_one cascade');
  }
}

const billingOf = async (prepared: readonly PreparedTask[]) => {
  const ids = prepared.map(({ task }) => task.id);
  return (await findTasks(scratch.db, ids)).map((task) => task!.billingStatus);
};

test('one that the database refuses is settled alone, and the others all the same', async () => {
  const { db } = scratch;
  const prepared = await prepareGenerating([await seedAccount(db, { credits: 1000 })], 5);
  // It can only be suspended.
  await withRefundError({ taskId: prepared[2]!.task.id, errorCode: 'VG999' }, async () => {
    const settling = createBatchSettler(settlerOf(db));
    const outcomes = await Promise.all(
      prepared.map((one) => applyStep(settling, one, { which: 0, end: 'failed' })),
    );
    assert.deepEqual(outcomes, Array(5).fill('failed'));
  });
  assert.deepEqual(await billingOf(prepared), [
    ...['refunded', 'refunded', 'refund_failed', 'refunded', 'refunded'],
  ]);
});

test('a refund that a full disk prevents is no case for a person: it is booked later', async () => {
  const { db } = scratch;
  const [one] = await prepareGenerating([await seedAccount(db, { credits: 1000 })], 1);
  const { task, job } = one!;
  const settling = createBatchSettler(settlerOf(db));
  const fail = () =>
    settling.fail({ ...taskRef(task), job, reason: 'provider_failed', attempt: 'failed' });
  await withRefundError({ taskId: task.id, errorCode: '53100' }, async () => {
    await assert.rejects(fail(), /not this one/);
  });
  assert.deepEqual(await billingOf([one!]), ['reserved']);
  assert.equal((await fail())?.billingStatus, 'refunded');
});

test('a detail with half a character or a NUL in it keeps nothing from ending', async () => {
  const account = await seedAccount(scratch.db, { credits: 1000 });
  const prepared = await prepareGenerating([account], 3);
  const settling = createBatchSettler(settlerOf(scratch.db));
  const detail = `${'x'.repeat(1999)}\u{1f98a}\0 and more`;
  const ends = prepared.map(({ task, job }) =>
    settling.fail({ ...taskRef(task), job, reason: 'provider_failed', attempt: 'failed', detail }),
  );
  for (const failed of await Promise.all(ends)) assert.equal(failed?.status, 'failed');
});
