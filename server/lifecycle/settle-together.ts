/**
 * The end of many tasks in one commit: those that polls bring to their end while the commit before
 * is under way. Each keeps what it would have alone: it ends whole or not at all, only for whoever
 * still holds its job, and whoever comes second has no effect. When the database refuses the many,
 * each is settled by itself, so that none suffers for its neighbour.
 */
import { crashPoint } from '../crash-point.ts';
import { Batcher } from '../database/batcher.ts';
import type { Transaction } from '../database/database.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { LeaseLost } from '../queue/job.ts';
import { enqueue, finishHeld, holdAll } from '../queue/queue.ts';
import { closeAttempts } from '../tasks/attempts.ts';
import { lockTasks, moveToCompleted, moveToFailed } from '../tasks/rows.ts';
import { isFinal, type Task } from '../tasks/task.ts';
import type { PolledFailure, TaskCompletion, Together } from './context.ts';
import { announce, creditsOf, type Settler, settleFailed } from './settle.ts';

type Settlement =
  | ({ readonly end: 'completed' } & TaskCompletion)
  | ({ readonly end: 'failed' } & PolledFailure);

type Settled =
  | { readonly outcome: 'settled'; readonly task: Task }
  /** It was final already. */
  | { readonly outcome: 'late' }
  | { readonly outcome: 'lease-lost' };

export type SettleTogether = Pick<Together, 'complete' | 'fail'>;

const batchItemsMax = 250;

export function createSettleTogether(settler: Settler): SettleTogether {
  const batcher = new Batcher<Settlement, Settled>({
    run: (settlements) => settle(settler, settlements),
    itemsMax: batchItemsMax,
    // A second one would mostly wait for the balances of the first.
    inFlightMax: 1,
  });
  const add = async (settlement: Settlement): Promise<Task | null> => {
    const settled = await batcher.add(settlement);
    if (settled.outcome === 'lease-lost') throw new LeaseLost(settlement.job);
    return settled.outcome === 'settled' ? settled.task : null;
  };
  return {
    complete: async (completion) => void (await add({ end: 'completed', ...completion })),
    fail: (failure) => add({ end: 'failed', ...failure }),
  };
}

async function settle(settler: Settler, settlements: readonly Settlement[]): Promise<Settled[]> {
  const [first] = settlements;
  // By itself it can do what many cannot: suspend a refund that the database refuses.
  if (settlements.length === 1 && first?.end === 'failed') return [await failAlone(settler, first)];
  const settled = await settler.db.transaction(async (tx) => {
    const done = await settleAll(settler, tx, settlements);
    crashPoint('settle.before-commit');
    return done;
  });
  crashPoint('settle.after-commit');
  return settled;
}

async function failAlone(settler: Settler, failure: PolledFailure): Promise<Settled> {
  try {
    const task = await settleFailed(settler, failure);
    return task ? { outcome: 'settled', task } : { outcome: 'late' };
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: 'lease-lost' };
    throw error;
  }
}

async function settleAll(
  settler: Settler,
  tx: Transaction,
  settlements: readonly Settlement[],
): Promise<Settled[]> {
  const books = await openBooks(tx, settlements);
  const tasks = await lockTasks(
    tx,
    settlements.map(({ taskId }) => taskId),
  );
  const held = await holdAll(
    tx,
    settlements.map(({ job }) => job),
  );
  const verdicts = judge(settlements, { tasks, held });
  const ending = verdicts.filter(({ verdict }) => verdict === 'ends');
  const moved = await move(settler, tx, { books, tasks, ending });
  await finishHeld(
    tx,
    verdicts.filter(({ endsJob }) => endsJob).map(({ settlement }) => settlement.job),
  );
  await books.write();
  await closeAttempts(tx, ending.map(attemptEnd));
  await announce(settler, tx, [...moved.values()]);
  await enqueue(tx, ending.flatMap(expiryOf(settler)));
  return verdicts.map(({ settlement, verdict }) =>
    verdict === 'ends'
      ? { outcome: 'settled', task: moved.get(settlement.taskId)! }
      : { outcome: verdict },
  );
}

type Verdict = {
  readonly settlement: Settlement;
  readonly verdict: 'ends' | 'late' | 'lease-lost';
  readonly endsJob: boolean;
};

/** In the order of arrival: what ends a task or a job counts for those behind it. */
function judge(
  settlements: readonly Settlement[],
  { tasks, held }: { tasks: ReadonlyMap<string, Task>; held: ReadonlySet<number> },
): Verdict[] {
  const ended = new Set<string>();
  const finished = new Set<number>();
  return settlements.map((settlement) => {
    const { taskId, job, end } = settlement;
    const task = tasks.get(taskId);
    const isOver = !task || isFinal(task) || ended.has(taskId);
    if (end === 'failed' && isOver) return { settlement, verdict: 'late', endsJob: false };
    if (!held.has(job.id) || finished.has(job.id)) {
      return { settlement, verdict: 'lease-lost', endsJob: false };
    }
    finished.add(job.id);
    // Only what a provider has can be completed.
    if (isOver || (end === 'completed' && task.status !== 'generating')) {
      return { settlement, verdict: 'late', endsJob: true };
    }
    ended.add(taskId);
    return { settlement, verdict: 'ends', endsJob: true };
  });
}

type Ending = {
  readonly books: Books;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly ending: readonly Verdict[];
};

/** Books every charge and refund in the order of arrival, and moves the tasks. */
async function move(
  { settings, log }: Settler,
  tx: Transaction,
  { books, tasks, ending }: Ending,
): Promise<Map<string, Task>> {
  const completions: Parameters<typeof moveToCompleted>[1][number][] = [];
  const failures: Parameters<typeof moveToFailed>[1][number][] = [];
  for (const { settlement } of ending) {
    const id = settlement.taskId;
    const credits = creditsOf(tasks.get(id)!);
    if (settlement.end === 'completed') {
      books.charge(credits);
      completions.push({ id, result: settlement.result });
    } else {
      const isRefunded = books.refund(credits).outcome === 'refunded';
      if (!isRefunded) {
        books.suspend(credits);
        log.warn({ taskId: id }, 'the refund was not booked: the account is closed');
      }
      const billingStatus = isRefunded ? 'refunded' : 'refund_failed';
      const { reason, refused } = settlement;
      failures.push({ id, reason, refused, billingStatus });
    }
  }
  const lifeSeconds = settings.resultLifeSeconds;
  const completed = await moveToCompleted(tx, completions, { lifeSeconds });
  const failed = await moveToFailed(tx, failures);
  return new Map([...completed, ...failed].map((task) => [task.id, task]));
}

const attemptEnd = ({ settlement }: Verdict) =>
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

const expiryOf =
  ({ settings }: Settler) =>
  ({ settlement: { end, accountId, taskId } }: Verdict) =>
    end === 'completed'
      ? [{ kind: 'expire', accountId, taskId, delaySeconds: settings.resultLifeSeconds } as const]
      : [];
