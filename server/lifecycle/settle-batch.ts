/**
 * The end of many tasks in one commit: those that polls bring to their end while the commit before
 * is under way. Each keeps what it would have alone: it ends whole or not at all, only for whoever
 * still holds its job, and whoever comes second has no effect. When the database refuses the many,
 * each is settled by itself, so that none suffers for its neighbour.
 */
import { crashPoint } from '../crash-point.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { type LedgerSession, lockBalances } from '../ledger/ledger.ts';
import { LeaseLost } from '../queue/job.ts';
import { deleteJobs, enqueue, lockLeased } from '../queue/queue.ts';
import { closeAttempts } from '../tasks/attempts.ts';
import { lockTasks, moveToCompleted, moveToFailed } from '../tasks/store.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import type { BatchedPollOps, PolledFailure, TaskCompletion } from './context.ts';
import { enqueueWebhooks, type Settler, settleFailed, taskCredits } from './settle.ts';

type Settlement =
  | ({ readonly end: 'completed' } & TaskCompletion)
  | ({ readonly end: 'failed' } & PolledFailure);

type SettleResult =
  | { readonly outcome: 'settled'; readonly task: Task }
  /** It was final already. */
  | { readonly outcome: 'already_final' }
  | { readonly outcome: 'lease_lost' };

export type BatchSettler = Pick<BatchedPollOps, 'complete' | 'fail'>;

const batchItemsMax = 250;

export function createBatchSettler(settler: Settler): BatchSettler {
  const batcher = new Batcher<Settlement, SettleResult>({
    run: (settlements) => settle(settler, settlements),
    itemsMax: batchItemsMax,
    // A second one would mostly wait for the balances of the first.
    inFlightMax: 1,
  });
  const add = async (settlement: Settlement): Promise<Task | null> => {
    const settled = await batcher.add(settlement);
    if (settled.outcome === 'lease_lost') throw new LeaseLost(settlement.job);
    return settled.outcome === 'settled' ? settled.task : null;
  };
  return {
    complete: async (completion) => void (await add({ end: 'completed', ...completion })),
    fail: (failure) => add({ end: 'failed', ...failure }),
  };
}

async function settle(
  settler: Settler,
  settlements: readonly Settlement[],
): Promise<SettleResult[]> {
  const [first] = settlements;
  // By itself it can do what many cannot: suspend a refund that the database refuses.
  if (settlements.length === 1 && first?.end === 'failed')
    return [await settleOneFailure(settler, first)];
  const settled = await settler.db.transaction(async (tx) => {
    const done = await settleAll(settler, tx, settlements);
    crashPoint('settle.before-commit');
    return done;
  });
  crashPoint('settle.after-commit');
  return settled;
}

async function settleOneFailure(settler: Settler, failure: PolledFailure): Promise<SettleResult> {
  try {
    const task = await settleFailed(settler, failure);
    return task ? { outcome: 'settled', task } : { outcome: 'already_final' };
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: 'lease_lost' };
    throw error;
  }
}

async function settleAll(
  settler: Settler,
  tx: Transaction,
  settlements: readonly Settlement[],
): Promise<SettleResult[]> {
  const ledger = await lockBalances(tx, settlements);
  const tasks = await lockTasks(
    tx,
    settlements.map(({ taskId }) => taskId),
  );
  const leased = await lockLeased(
    tx,
    settlements.map(({ job }) => job),
  );
  const decisions = decideSettlements(settlements, { tasks, leased });
  const settling = decisions.filter(({ decision }) => decision === 'settle');
  const moved = await applySettlements(settler, tx, { ledger, tasks, settling });
  await deleteJobs(
    tx,
    decisions.filter(({ deletesJob }) => deletesJob).map(({ settlement }) => settlement.job),
  );
  await ledger.flush();
  await closeAttempts(tx, settling.map(attemptResult));
  await enqueueWebhooks(settler, tx, [...moved.values()]);
  await enqueue(tx, settling.flatMap(expiryJob(settler)));
  return decisions.map(({ settlement, decision }) =>
    decision === 'settle'
      ? { outcome: 'settled', task: moved.get(settlement.taskId)! }
      : { outcome: decision },
  );
}

type SettlementDecision = {
  readonly settlement: Settlement;
  readonly decision: 'settle' | 'already_final' | 'lease_lost';
  readonly deletesJob: boolean;
};

/** In the order of arrival: what ends a task or a job counts for those behind it. */
function decideSettlements(
  settlements: readonly Settlement[],
  { tasks, leased }: { tasks: ReadonlyMap<string, Task>; leased: ReadonlySet<number> },
): SettlementDecision[] {
  const ended = new Set<string>();
  const finished = new Set<number>();
  return settlements.map((settlement) => {
    const { taskId, job, end } = settlement;
    const task = tasks.get(taskId);
    const isEnded = !task || isFinal(task) || ended.has(taskId);
    if (end === 'failed' && isEnded)
      return { settlement, decision: 'already_final', deletesJob: false };
    if (!leased.has(job.id) || finished.has(job.id)) {
      return { settlement, decision: 'lease_lost', deletesJob: false };
    }
    finished.add(job.id);
    // Only what a provider has can be completed.
    if (isEnded || (end === 'completed' && task.status !== 'generating')) {
      return { settlement, decision: 'already_final', deletesJob: true };
    }
    ended.add(taskId);
    return { settlement, decision: 'settle', deletesJob: true };
  });
}

type SettlementBatch = {
  readonly ledger: LedgerSession;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly settling: readonly SettlementDecision[];
};

/** Books every charge and refund in the order of arrival, and moves the tasks. */
async function applySettlements(
  { settings, log }: Settler,
  tx: Transaction,
  { ledger, tasks, settling }: SettlementBatch,
): Promise<Map<string, Task>> {
  const completions: Parameters<typeof moveToCompleted>[1][number][] = [];
  const failures: Parameters<typeof moveToFailed>[1][number][] = [];
  for (const { settlement } of settling) {
    const id = settlement.taskId;
    const credits = taskCredits(tasks.get(id)!);
    if (settlement.end === 'completed') {
      ledger.charge(credits);
      completions.push({ id, result: settlement.result });
    } else {
      const isRefunded = ledger.refund(credits).outcome === 'refunded';
      if (!isRefunded) {
        ledger.suspend(credits);
        log.warn({ taskId: id }, 'the refund was not booked: the account is closed');
      }
      const billingStatus = isRefunded ? 'refunded' : 'refund_failed';
      const { reason, rejectedPart } = settlement;
      failures.push({ id, reason, rejectedPart, billingStatus });
    }
  }
  const ttlSeconds = settings.resultTtlSeconds;
  const completed = await moveToCompleted(tx, completions, { ttlSeconds });
  const failed = await moveToFailed(tx, failures);
  return new Map([...completed, ...failed].map((task) => [task.id, task]));
}

const attemptResult = ({ settlement }: SettlementDecision) =>
  settlement.end === 'completed'
    ? {
        taskId: settlement.taskId,
        outcome: 'completed' as const,
        outputSeconds: settlement.outputSeconds,
      }
    : {
        taskId: settlement.taskId,
        outcome: settlement.attempt,
        detail: settlement.detail,
        loss: settlement.loss,
      };

const expiryJob =
  ({ settings }: Settler) =>
  ({ settlement: { end, accountId, taskId } }: SettlementDecision) =>
    end === 'completed'
      ? [{ kind: 'expire', accountId, taskId, delaySeconds: settings.resultTtlSeconds } as const]
      : [];
