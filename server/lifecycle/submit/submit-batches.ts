/**
 * What every submit reads and writes. Submits that do so at the same time share a statement or a
 * commit; each keeps the guarantees it would have alone.
 */
import { findDemoAccountIds } from '../../accounts/account.ts';
import { Batcher } from '../../database/batcher.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';
import { holdLeases, rescheduleAll } from '../../queue/outcome.ts';
import { type Wait, waitForCapacity } from '../../queue/waiting.ts';
import {
  type Attempt,
  lockCapacity,
  type NewAttempt,
  openAttempts,
  recordOperations,
} from '../../tasks/attempts.ts';
import { countTasksAt, listAttemptsOf } from '../../tasks/find-attempts.ts';
import { findTasks, markSubmitted, moveToGenerating } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';
import { commitLeased, requireLeased, type Written } from '../settle/leased-commit.ts';

export type SubmitBatches = {
  find(taskId: string): Promise<SubmittedTask>;
  isDemoAccount(accountId: string): Promise<boolean>;
  /**
   * Commits the attempt before its provider is called. Returns null if the provider has as many
   * tasks as it may have. Throws `LeaseLost` if another worker has claimed the job or it was
   * deleted.
   */
  writeIntent(intent: Intent): Promise<Attempt | null>;
  /** As the function of this name; calls at the same time share a statement. */
  countTasksAt(providers: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Gives the job back until one of its providers has capacity. Throws `LeaseLost` likewise. */
  waitForCapacity(wait: Wait): Promise<void>;
  /** Moves the task to `generating` and its job on as `poll`. Throws `LeaseLost` likewise. */
  recordAccepted(accepted: AcceptedStart): Promise<void>;
};

type SubmittedTask = { readonly task: Task | null; readonly attempts: readonly Attempt[] };

type Intent = {
  readonly job: Job;
  readonly attempt: NewAttempt;
  /** How many tasks the provider may have at once; undefined if there is no limit. */
  readonly concurrency: number | undefined;
};

type AcceptedStart = {
  readonly job: Job;
  readonly taskId: string;
  readonly number: number;
  readonly operation: string;
};

const limits = { itemsMax: 250, inFlightMax: 2 };

export function createSubmitBatches({ db }: { readonly db: Database }): SubmitBatches {
  const reads = new Batcher<string, SubmittedTask>({
    ...limits,
    async run(ids) {
      const [tasks, attempts] = await Promise.all([findTasks(db, ids), listAttemptsOf(db, ids)]);
      return ids.map((_, at) => ({ task: tasks[at] ?? null, attempts: attempts[at] ?? [] }));
    },
  });
  const demoAccounts = new Batcher<string, boolean>({
    ...limits,
    async run(ids) {
      const found = await findDemoAccountIds(db, [...new Set(ids)]);
      return ids.map((id) => found.has(id));
    },
  });
  const counts = new Batcher<readonly string[], ReadonlyMap<string, number>>({
    ...limits,
    async run(batch) {
      const counted = await countTasksAt(db, [...new Set(batch.flat())]);
      return batch.map(() => counted);
    },
  });
  const waits = new Batcher<Wait, boolean>({
    ...limits,
    async run(batch) {
      const leased = await waitForCapacity(db, batch);
      return batch.map(({ job }) => leased.has(job.id));
    },
  });
  const intents = new Batcher<Intent, Attempt | null | LeaseLost>({
    ...limits,
    run: (batch) => commitLeased(db, batch, writeIntents),
  });
  const starts = new Batcher<AcceptedStart, null | LeaseLost>({
    ...limits,
    run: (batch) => commitLeased(db, batch, writeStarts),
  });
  return {
    find: (taskId) => reads.add(taskId),
    isDemoAccount: (accountId) => demoAccounts.add(accountId),
    countTasksAt: (providers) => counts.add(providers),
    async waitForCapacity(wait) {
      if (!(await waits.add(wait))) throw new LeaseLost(wait.job);
    },
    writeIntent: async (intent) => requireLeased(await intents.add(intent)),
    recordAccepted: async (accepted) => void requireLeased(await starts.add(accepted)),
  };
}

/** Locks capacity before tasks before jobs; settling locks the last two in the same order. */
async function writeIntents(
  tx: Transaction,
  batch: readonly Intent[],
): Promise<Written<Attempt | null>> {
  const admitted = await findAdmitted(tx, batch);
  const [, opened, leased] = await Promise.all([
    markSubmitted(
      tx,
      admitted.map(({ attempt }) => attempt.taskId),
    ),
    openAttempts(
      tx,
      admitted.map(({ attempt }) => attempt),
    ),
    holdLeases(
      tx,
      batch.map(({ job }) => job),
    ),
  ]);
  return { leased, outcomes: batch.map(({ attempt }) => opened.get(attempt.taskId) ?? null) };
}

/** Returns those for whose task there is capacity, in order of arrival. */
async function findAdmitted(tx: Transaction, batch: readonly Intent[]): Promise<readonly Intent[]> {
  const limited = batch.filter(({ concurrency }) => concurrency !== undefined);
  if (limited.length === 0) return batch;
  const providers = [...new Set(limited.map(({ attempt }) => attempt.provider))];
  // Counted by a statement of its own, which sees what was committed while this one waited.
  const [, counted] = await Promise.all([lockCapacity(tx, providers), countTasksAt(tx, providers)]);
  const taken = new Map(counted);
  return batch.filter(({ attempt: { provider }, concurrency = Number.POSITIVE_INFINITY }) => {
    const count = taken.get(provider) ?? 0;
    if (count >= concurrency) return false;
    taken.set(provider, count + 1);
    return true;
  });
}

/** Locks tasks before jobs before attempts, as settling does. */
async function writeStarts(
  tx: Transaction,
  batch: readonly AcceptedStart[],
): Promise<Written<null>> {
  const taskIds = batch.map(({ taskId }) => taskId);
  const next = { kind: 'poll', delaySeconds: 0, retry: false } as const;
  const [, leased] = await Promise.all([
    moveToGenerating(tx, taskIds),
    rescheduleAll(
      tx,
      batch.map(({ job }) => ({ job, next })),
    ),
    recordOperations(
      tx,
      batch.map(({ taskId, number, operation }) => ({ taskId, number, operation })),
    ),
  ]);
  return { leased, outcomes: batch.map(() => null) };
}
