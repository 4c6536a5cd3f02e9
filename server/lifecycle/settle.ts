/**
 * Ends tasks: charges the completed ones, refunds the failed ones. Final status, ledger entry,
 * attempt, webhook delivery and jobs change in one commit or not at all, and each reservation is
 * settled once: a settlement that comes second changes nothing.
 *
 * Settlements that arrive while a commit is under way share the next one. Lock order is balance,
 * task, job. Any other order can deadlock.
 */

import type { KeyMode } from '@vidgen/contract/models.ts';
import type { FailedReason } from '@vidgen/contract/task-status.ts';
import { subtractKeySpending } from '../accounts/keys/key-spending.ts';
import { findFileRetentionDays } from '../accounts/retention.ts';
import { Batcher } from '../database/batcher.ts';
import { type Database, isTransientDatabaseError, type Transaction } from '../database/database.ts';
import { type LedgerSession, lockBalances } from '../ledger/ledger.ts';
import { raiseNotice } from '../messages/notice.ts';
import { nowMs } from '../process/clock.ts';
import { crashPoint } from '../process/crash-point.ts';
import type { Cost } from '../providers/costs.ts';
import type { ProviderFailure } from '../providers/provider.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { deleteJobs, lockJobs } from '../queue/outcome.ts';
import { type AttemptOutcome, type AttemptResult, closeAttempts } from '../tasks/attempts.ts';
import { lockTasks, moveToCompleted, moveToFailed } from '../tasks/store.ts';
import { isFinal, type Result, type Task, taskRef } from '../tasks/task.ts';
import type { Log } from '../telemetry/log.ts';
import type { Measurements } from '../telemetry/measurements.ts';
import type { Traces } from '../telemetry/traces.ts';
import { enqueueFollowUps, type FollowUpDeps } from './settle/follow-ups.ts';

type Settlement = {
  readonly taskId: string;
  readonly accountId: string;
  readonly mode: KeyMode;
  /** The leased job that found the end; absent when a client or an admin ends the task. */
  readonly job?: Job;
  /** Evaluated once the task is locked: whether the facts the caller decided by still hold. */
  readonly precondition?: (tx: Transaction) => Promise<boolean>;
  /** Of the attempt; null or absent: unknown. */
  readonly cost?: Cost | null | undefined;
  /** Runs in the same commit: records who ended the task. */
  readonly writeAudit?: ((tx: Transaction) => Promise<void>) | undefined;
} & (Completion | Failure);

type Completion = {
  readonly end: 'completed';
  readonly result: Result;
  /** Length of the video, as its header or the provider says. */
  readonly outputSeconds?: number | undefined;
  /** What the provider may bill beyond the price. */
  readonly loss?: string | undefined;
};

type Failure = {
  readonly end: 'failed';
  readonly reason: FailedReason;
  readonly rejectedPart?: ProviderFailure['rejectedPart'] | undefined;
  readonly attempt: AttemptOutcome;
  readonly detail?: string | undefined;
  /** What the provider may bill although the customer is refunded. */
  readonly loss?: string | undefined;
};

/**
 * Returns the final task, or null if the task was already final or the precondition no longer
 * holds. Throws `LeaseLost` if the job's lease was lost.
 */
export type Settle = (settlement: Settlement) => Promise<Task | null>;

export type SettleDeps = FollowUpDeps & {
  readonly db: Database;
  readonly log: Log;
  readonly settings: { readonly resultTtlSeconds: number };
  readonly measurements?: Measurements;
  readonly traces?: Traces | undefined;
};

const daySeconds = 86_400;

/** Credits are suspended only after the database has rejected the refund this often. */
const refundAttemptsMax = 3;

export function createSettle(deps: SettleDeps): Settle {
  const batcher = new Batcher<Settlement, Decision>({
    run: (settlements) => settleBatch(deps, settlements),
    itemsMax: 250,
    // A second batch would mostly wait for the balances that the first has locked.
    inFlightMax: 1,
  });
  return async (settlement) => {
    const settled = await batcher.add(settlement);
    if (settled.decision === 'lease_lost') throw new LeaseLost(settled.job);
    return settled.decision === 'settle' ? settled.task : null;
  };
}

type Decision =
  | Settling
  | { readonly decision: 'already_final'; readonly unusedJob?: Job }
  | { readonly decision: 'lease_lost'; readonly job: Job };

/** `task` is the task as locked, and once the batch has been applied, the final task. */
type Settling = {
  readonly decision: 'settle';
  readonly settlement: Settlement;
  readonly task: Task;
  /** Of the attempt that the settlement closed; absent before it is applied, or without one. */
  readonly provider?: string | undefined;
};

async function settleBatch(
  deps: SettleDeps,
  settlements: readonly Settlement[],
): Promise<Decision[]> {
  const startMs = nowMs();
  const settle = async (tx: Transaction) => {
    // Sent together, and locked in this order.
    const [ledger, decided, retentionDays] = await Promise.all([
      lockBalances(tx, settlements),
      decide(tx, settlements),
      findFileRetentionDays(tx, [...new Set(settlements.map(({ accountId }) => accountId))]),
    ]);
    const applied = await apply(deps, tx, { ledger, decisions: decided, retentionDays });
    crashPoint('settle.before-commit');
    return applied;
  };
  const decisions = await deps.db.transaction(settle, { readsFirst: true });
  crashPoint('settle.after-commit');
  for (const { settlement, task, provider } of decisions.filter(isSettling)) {
    deps.measurements?.countTask(task, provider ?? null);
    if (deps.traces) traceEnd(deps.traces, { task, provider, startMs });
    const { loss } = settlement;
    if (loss) deps.log.warn({ taskId: settlement.taskId, loss }, 'possible unbilled provider cost');
  }
  return decisions;
}

const isSettling = (decision: Decision): decision is Settling => decision.decision === 'settle';

/** In order of arrival: a task or job that one settlement ends has ended for those behind it. */
async function decide(tx: Transaction, settlements: readonly Settlement[]): Promise<Decision[]> {
  const taskIds = settlements.map(({ taskId }) => taskId);
  const [tasks, leased] = await Promise.all([
    lockTasks(tx, taskIds),
    lockJobs(tx, jobsOf(settlements)),
  ]);
  const ended = new Set<string>();
  const decisions: Decision[] = [];
  for (const settlement of settlements) {
    const { taskId, job, end } = settlement;
    const task = tasks.get(taskId);
    const isEnded = !task || isFinal(task) || ended.has(taskId);
    if (end === 'failed' && isEnded) {
      decisions.push({ decision: 'already_final' });
    } else if (job && (!leased.has(job.id) || ended.has(taskId))) {
      decisions.push({ decision: 'lease_lost', job });
    } else if (isEnded || (end === 'completed' && task.status !== 'generating')) {
      // Only a task that a provider has can complete; the job has nothing left to do.
      decisions.push({ decision: 'already_final', ...(job && { unusedJob: job }) });
      if (job) leased.delete(job.id);
    } else if (settlement.precondition && !(await settlement.precondition(tx))) {
      decisions.push({ decision: 'already_final' });
    } else {
      decisions.push({ decision: 'settle', settlement, task });
      ended.add(taskId);
    }
  }
  return decisions;
}

type Decided = {
  readonly ledger: LedgerSession;
  readonly decisions: Decision[];
  /** How long accounts keep results that differ from the installation. */
  readonly retentionDays: ReadonlyMap<string, number>;
};

async function apply(
  deps: SettleDeps,
  tx: Transaction,
  { ledger, decisions, retentionDays }: Decided,
): Promise<Decision[]> {
  const settling = decisions.filter(isSettling);
  const settlements = settling.map(({ settlement }) => settlement);
  const suspended = await bookOrSuspend(deps, tx, { ledger, settling });
  const moved = await moveTasks(deps, tx, { settlements, suspended, retentionDays });
  if (suspended.size > 0) await noticeSuspended(tx, settling, suspended);
  const unusedJobs = decisions.flatMap((one) => ('unusedJob' in one ? one.unusedJob : []));
  const { jobs, taskIds } = jobsOf(settlements);
  const [, providers] = await Promise.all([
    deleteJobs(tx, { jobs: [...jobs, ...unusedJobs], taskIds }),
    closeAttempts(tx, settlements.map(attemptResult)),
    enqueueFollowUps(deps, tx, [...moved.values()]),
    subtractKeySpending(
      tx,
      [...moved.values()].filter(({ billingStatus }) => billingStatus === 'refunded'),
    ),
  ]);
  for (const { writeAudit } of settlements) await writeAudit?.(tx);
  return decisions.map((one) =>
    isSettling(one)
      ? { ...one, task: moved.get(one.task.id)!, provider: providers.get(one.task.id) }
      : one,
  );
}

/** In order of account, so that two batches cannot deadlock. */
async function noticeSuspended(
  tx: Transaction,
  settling: readonly Settling[],
  suspended: ReadonlySet<string>,
): Promise<void> {
  const tasks = settling.map(({ task }) => task).filter(({ id }) => suspended.has(id));
  for (const task of tasks.sort((a, b) => (a.accountId < b.accountId ? -1 : 1))) {
    const { accountId, id, credits } = task;
    const detail = { task_id: id, credits };
    await raiseNotice(tx, { kind: 'refund_waiting', accountId, subject: '', detail });
  }
}

/** Settlements without a job end the generation job of their task, whichever worker leases it. */
const jobsOf = (settlements: readonly Settlement[]) => ({
  jobs: settlements.flatMap(({ job }) => job ?? []),
  taskIds: settlements.filter(({ job }) => !job).map(({ taskId }) => taskId),
});

type Booking = { readonly ledger: LedgerSession; readonly settling: readonly Settling[] };

/**
 * Books every charge and refund, and returns the IDs of the tasks whose credits were suspended.
 * A refund that the database keeps rejecting is undone alone, and its credits are suspended for
 * an admin to decide (docs/spec.md 3.2). That takes a batch of one: when the database rejects a
 * larger batch, the batcher retries its settlements one by one.
 */
async function bookOrSuspend(
  deps: SettleDeps,
  tx: Transaction,
  { ledger, settling }: Booking,
): Promise<ReadonlySet<string>> {
  const [only] = settling;
  if (!only || settling.length > 1 || only.settlement.end === 'completed') {
    return await book(deps, { ledger, settling });
  }
  const { task } = only;
  for (let attempt = 1; attempt <= refundAttemptsMax; attempt++) {
    try {
      return await tx.savepoint(async (nestedTx) =>
        book(deps, { ledger: await lockBalances(nestedTx, [task]), settling }),
      );
    } catch (error) {
      // A full disk or a restart says nothing about the refund: the settlement is retried whole.
      if (isTransientDatabaseError(error)) throw error;
      deps.log.error({ taskId: task.id, attempt, error }, 'refund rejected by the database');
    }
  }
  const suspendLedger = await lockBalances(tx, [task]);
  suspendLedger.suspend(creditsOf(task));
  await suspendLedger.flush();
  return new Set([task.id]);
}

/** A closed account takes no refund: the credits are suspended. */
async function book(
  { log }: SettleDeps,
  { ledger, settling }: Booking,
): Promise<ReadonlySet<string>> {
  const suspended = new Set<string>();
  for (const { settlement, task } of settling) {
    if (settlement.end === 'completed') {
      ledger.charge(creditsOf(task));
    } else if (ledger.refund(creditsOf(task)).outcome === 'closed') {
      ledger.suspend(creditsOf(task));
      suspended.add(task.id);
      log.warn({ taskId: task.id }, 'refund suspended: account is closed');
    }
  }
  await ledger.flush();
  return suspended;
}

async function moveTasks(
  { settings: { resultTtlSeconds } }: SettleDeps,
  tx: Transaction,
  {
    settlements,
    suspended,
    retentionDays,
  }: Pick<Decided, 'retentionDays'> & {
    readonly settlements: readonly Settlement[];
    readonly suspended: ReadonlySet<string>;
  },
): Promise<Map<string, Task>> {
  const completions = settlements
    .filter((settlement) => settlement.end === 'completed')
    .map(({ taskId: id, accountId, result }) => {
      const days = retentionDays.get(accountId);
      return { id, result, ttlSeconds: days ? days * daySeconds : resultTtlSeconds };
    });
  const failures = settlements
    .filter((settlement) => settlement.end === 'failed')
    .map(({ taskId: id, reason, rejectedPart }) => {
      const billingStatus = suspended.has(id) ? ('refund_failed' as const) : ('refunded' as const);
      return { id, reason, rejectedPart, billingStatus };
    });
  const completed = await moveToCompleted(tx, completions);
  const failed = await moveToFailed(tx, failures);
  return new Map([...completed, ...failed].map((task) => [task.id, task]));
}

function attemptResult(settlement: Settlement): AttemptResult {
  const { taskId, loss, cost } = settlement;
  if (settlement.end === 'completed') {
    return { taskId, outcome: 'completed', outputSeconds: settlement.outputSeconds, loss, cost };
  }
  const { attempt: outcome, detail } = settlement;
  return { taskId, outcome, detail, loss, cost };
}

const creditsOf = (task: Task) => ({ ...taskRef(task), credits: task.credits });

/** The commit that ended the task, and the task as a whole: exactly one commit ends it. */
function traceEnd(
  traces: Traces,
  ended: { readonly task: Task; readonly provider: string | undefined; readonly startMs: number },
): void {
  const { task, provider, startMs } = ended;
  const { id: taskId, model, mode, status, failedReason, createdAt, finishedAt } = task;
  const isError = status === 'failed';
  traces.add({ taskId, name: 'settle', startMs, endMs: nowMs(), attributes: { status } });
  traces.add({
    taskId,
    name: 'task',
    isRoot: true,
    isError,
    startMs: createdAt.getTime(),
    endMs: (finishedAt ?? createdAt).getTime(),
    attributes: { model, mode, provider, status, failed_reason: failedReason },
  });
}
