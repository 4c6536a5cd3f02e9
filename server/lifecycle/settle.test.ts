/**
 * Settling many tasks in one commit has the same effect as settling them one by one, and one that
 * the database rejects does not affect the others in its batch.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { useDatabase } from '../../proof/kit/scratch-database.ts';
import { createOf, type SeededAccount, seedAccount } from '../../proof/kit/seed.ts';
import type { Database } from '../database/database.ts';
import { closeBalances, findBalances } from '../ledger/ledger.ts';
import { claim } from '../queue/claim.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { reschedule } from '../queue/outcome.ts';
import { rescue } from '../queue/rescuer.ts';
import { openAttempt, recordOperation } from '../tasks/attempts.ts';
import { listAttempts } from '../tasks/find-attempts.ts';
import { findTasks, moveToGenerating } from '../tasks/store.ts';
import { type Task, taskRef } from '../tasks/task.ts';
import { webhookPayload } from '../tasks/view.ts';
import { createLog } from '../telemetry/log.ts';
import { createAcceptTask } from './accept.ts';
import { checkInvariants } from './checks/invariants.ts';
import { createSettle, type Settle } from './settle.ts';

const { db } = await useDatabase();

const settleOf = (db: Database): Settle =>
  createSettle({
    db,
    log: createLog('silent'),
    callbackBody: (task) => webhookPayload(task, (_, key) => `https://results.example.test/${key}`),
    settings: { resultTtlSeconds: 86_400 },
  });

type PreparedTask = { readonly task: Task; readonly job: Job };

const claimAll = {
  owner: 'a',
  jobsMax: 100,
  perAccountMax: 100,
  perReceiverMax: 100,
  includeIsolated: true,
};

/** Tasks that a provider has, with the `poll` jobs that a worker has claimed for them. */
async function prepareGenerating(
  accounts: readonly SeededAccount[],
  count: number,
): Promise<PreparedTask[]> {
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
  for (const job of await claim(db, { ...claimAll, queue: 'default' })) {
    const { taskId } = job;
    await db.transaction(async (tx) => {
      await moveToGenerating(tx, [taskId]);
      const reference = `ref ${taskId}`;
      await openAttempt(tx, { taskId, provider: 'p', credential: null, reference });
      await recordOperation(tx, { taskId, number: 1, operation: `op ${taskId}` });
      await reschedule(tx, job, { kind: 'poll', delaySeconds: 0, retry: false });
    });
  }
  const jobs = new Map(
    (await claim(db, { ...claimAll, queue: 'polls' })).map((j) => [j.taskId, j]),
  );
  const tasks = await findTasks(db, ids);
  return tasks.map((task) => ({ task: task!, job: jobs.get(task!.id)! }));
}

/** How a settlement ends its task: `cancelled` has no job, and `stale` is one decided too late. */
type StepEnd = 'completed' | 'failed' | 'cancelled' | 'stale';
type Step = { readonly which: number; readonly end: StepEnd };
/** What happened to a task before its settlement. */
type Fate = 'leased' | 'lease-lost' | 'cancelled';
type Scenario = {
  readonly fates: readonly Fate[];
  readonly closed: boolean;
  readonly steps: readonly Step[];
};

const tasksMax = 6;
const scenario: fc.Arbitrary<Scenario> = fc.record({
  fates: fc.array(fc.constantFrom<Fate>('leased', 'leased', 'leased', 'lease-lost', 'cancelled'), {
    minLength: tasksMax,
    maxLength: tasksMax,
  }),
  closed: fc.boolean(),
  steps: fc.array(
    fc.record({
      which: fc.nat({ max: tasksMax - 1 }),
      end: fc.constantFrom<StepEnd>('completed', 'failed', 'cancelled', 'stale'),
    }),
    { maxLength: 10 },
  ),
});

const failureOf = ({ task, job }: PreparedTask) =>
  ({
    ...taskRef(task),
    job,
    end: 'failed',
    reason: 'provider_failed',
    attempt: 'failed',
  }) as const;

const cancellationOf = ({ task }: PreparedTask) =>
  ({ ...taskRef(task), end: 'failed', reason: 'cancelled', attempt: 'cancelled' }) as const;

const completionOf = ({ task, job }: PreparedTask) => {
  const result = { video: `${task.id}/1/video.mp4`, lastFrame: null };
  return { ...taskRef(task), job, end: 'completed', result, outputSeconds: 5 } as const;
};

async function applyStep(settle: Settle, prepared: PreparedTask, { end }: Pick<Step, 'end'>) {
  const settlement = {
    completed: () => completionOf(prepared),
    failed: () => failureOf(prepared),
    cancelled: () => cancellationOf(prepared),
    stale: () => ({ ...cancellationOf(prepared), precondition: async () => false }),
  }[end]();
  try {
    return (await settle(settlement))?.status ?? 'too late';
  } catch (error) {
    assert.ok(error instanceof LeaseLost, String(error));
    return 'lease lost';
  }
}

/** Runs a scenario and returns everything it left behind, without IDs and times. */
async function outcomeOf({ fates, closed, steps }: Scenario, order: 'together' | 'one by one') {
  const accounts = [
    await seedAccount(db, { credits: 1000 }),
    await seedAccount(db, { credits: 1000 }),
  ];
  const prepared = await prepareGenerating(accounts, tasksMax);
  const settle = settleOf(db);
  for (const [at, one] of prepared.entries()) {
    if (fates[at] === 'cancelled') await settle(cancellationOf(one));
    if (fates[at] !== 'lease-lost') continue;
    await db.query(`update jobs set lease_until = now() - interval '1 s' where id = $1`, [
      one.job.id,
    ]);
    await rescue(db);
    await claim(db, { ...claimAll, owner: 'b', queue: 'polls', jobsMax: 9 });
  }
  if (closed) await db.transaction((tx) => closeBalances(tx, accounts[0]!.accountId));
  const outcomes: string[] = [];
  if (order === 'together') {
    const all = steps.map((step) => applyStep(settle, prepared[step.which]!, step));
    outcomes.push(...(await Promise.all(all)));
  } else {
    for (const step of steps) outcomes.push(await applyStep(settle, prepared[step.which]!, step));
  }
  return { outcomes, state: await readState(prepared, accounts) };
}

async function readState(prepared: readonly PreparedTask[], accounts: readonly SeededAccount[]) {
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
        `select kind, queue, lease_owner from jobs where task_id = $1 order by kind`,
        values,
      );
      const { rows: deliveries } = await db.query(
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
      const bodies = deliveries.map(({ body }) => shapeOf(body));
      const ended = { status, billingStatus, failedReason, progress };
      return { ...ended, jobs, bodies, entries, attempts };
    }),
  );
  return { rows, balances: accounts.map(({ accountId }) => balances.get(accountId)!.live) };
}

/** Signed URLs and times differ between runs; their presence does not. */
const shapeOf = (body: unknown): string =>
  JSON.stringify(body).replace(/"(https:|\d{4}-)[^"]*"|(?<="processing_time":)\d+/g, '…');

test('settles any mix of tasks in one batch as it would one by one', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (one) => {
      const batched = await outcomeOf(one, 'together');
      const sequential = await outcomeOf(one, 'one by one');
      assert.deepEqual(batched, sequential);
    }),
    { numRuns: 25 },
  );
  const { checks } = await checkInvariants(db);
  // Jobs of earlier scenarios were deleted, so only the three checks of the ledger apply.
  assert.deepEqual(
    checks.slice(0, 3).flatMap(({ offenders }) => offenders),
    [],
  );
});

/** While `work` runs, the database rejects refunds of the task: all of them, or the first few. */
async function withRefundError(
  {
    taskId,
    errorCode,
    timesMax = 100,
  }: { readonly taskId: string; readonly errorCode: string; readonly timesMax?: number },
  work: () => Promise<void>,
): Promise<void> {
  // A sequence counts on when the savepoint is rolled back.
  await db.query('create sequence refunds_rejected');
  await db.query(`create function reject_refund() returns trigger language plpgsql as $$
    begin
      if new.task_id = '${taskId}' and new.kind = 'refund'
        and nextval('refunds_rejected') <= ${timesMax} then
        raise exception 'not this one' using errcode = '${errorCode}';
      end if;
      return new;
    end $$`);
  await db.query(`create trigger reject_refund before insert on ledger_entries
    for each row execute function reject_refund()`);
  try {
    await work();
  } finally {
    await db.query('drop function reject_refund cascade');
    await db.query('drop sequence refunds_rejected');
  }
}

const billingOf = async (prepared: readonly PreparedTask[]) => {
  const ids = prepared.map(({ task }) => task.id);
  return (await findTasks(db, ids)).map((task) => task!.billingStatus);
};

const prepareOne = async (): Promise<PreparedTask> => {
  const [one] = await prepareGenerating([await seedAccount(db, { credits: 1000 })], 1);
  return one!;
};

test('suspends a refund that the database rejects, and refunds the rest of the batch', async () => {
  const prepared = await prepareGenerating([await seedAccount(db, { credits: 1000 })], 5);
  await withRefundError({ taskId: prepared[2]!.task.id, errorCode: 'VG999' }, async () => {
    const settle = settleOf(db);
    const settled = await Promise.all(prepared.map((one) => settle(failureOf(one))));
    assert.deepEqual(
      settled.map((task) => task?.status),
      Array(5).fill('failed'),
    );
  });
  assert.deepEqual(await billingOf(prepared), [
    ...['refunded', 'refunded', 'refund_failed', 'refunded', 'refunded'],
  ]);
});

test('suspends a refund only after the database has rejected it three times', async () => {
  for (const [timesMax, billingStatus] of [
    [2, 'refunded'],
    [3, 'refund_failed'],
  ] as const) {
    const one = await prepareOne();
    const rejection = { taskId: one.task.id, errorCode: 'VG999', timesMax };
    await withRefundError(rejection, async () => {
      assert.equal((await settleOf(db)(failureOf(one)))?.billingStatus, billingStatus);
    });
  }
});

test('books a refund later, without suspending it, when a full disk prevents it', async () => {
  const one = await prepareOne();
  const settle = settleOf(db);
  await withRefundError({ taskId: one.task.id, errorCode: '53100' }, async () => {
    await assert.rejects(settle(failureOf(one)), /not this one/);
  });
  assert.deepEqual(await billingOf([one]), ['reserved']);
  assert.equal((await settle(failureOf(one)))?.billingStatus, 'refunded');
});

test('settles tasks whose detail holds half a surrogate pair or a NUL', async () => {
  const account = await seedAccount(db, { credits: 1000 });
  const prepared = await prepareGenerating([account], 3);
  const settle = settleOf(db);
  const detail = `${'x'.repeat(1999)}\u{1f98a}\0 and more`;
  const settled = prepared.map((one) => settle({ ...failureOf(one), detail }));
  for (const failed of await Promise.all(settled)) assert.equal(failed?.status, 'failed');
});

test('writes the audit record of the settlement that ended the task, and of no other', async () => {
  const one = await prepareOne();
  const settle = settleOf(db);
  const written: string[] = [];
  const auditedBy = (actor: string) => ({
    ...cancellationOf(one),
    writeAudit: async () => void written.push(actor),
  });
  await Promise.all(['first', 'second'].map((actor) => settle(auditedBy(actor))));
  assert.equal(await settle(auditedBy('third')), null);
  assert.deepEqual(written, ['first']);
});

test('undoes the settlement when its audit record cannot be written', async () => {
  const one = await prepareOne();
  const writeAudit = () => Promise.reject(new Error('no audit'));
  const settle = settleOf(db);
  await assert.rejects(settle({ ...cancellationOf(one), writeAudit }), /no audit/);
  assert.deepEqual(await billingOf([one]), ['reserved']);
  assert.equal((await settle(failureOf(one)))?.billingStatus, 'refunded');
});
