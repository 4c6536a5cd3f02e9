/** What every stage of a task's life works with, put together once at the start. */
import type { Catalog } from '../catalog/catalog.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import type { Egress } from '../egress/egress.ts';
import type { KeyedSemaphore } from '../egress/keyed-semaphore.ts';
import { monotonicMs } from '../process/clock.ts';
import type { Posters } from '../providers/posters/posters.ts';
import type { Registry } from '../providers/registry.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { type NextRun, type Rescheduling, rescheduleAll } from '../queue/outcome.ts';
import type { Storage } from '../storage/storage.ts';
import type { Attempt } from '../tasks/attempts.ts';
import { findOpenAttempts } from '../tasks/find-attempts.ts';
import { findTasks } from '../tasks/store.ts';
import type { Task } from '../tasks/task.ts';
import type { ResultUrl } from '../tasks/view.ts';
import type { Log } from '../telemetry/log.ts';
import { createMeasurements, type Measurements } from '../telemetry/measurements.ts';
import type { Traces } from '../telemetry/traces.ts';
import { UsualTimes } from './poll/usual-times.ts';
import type { FollowUpDeps } from './settle/follow-ups.ts';
import { createWebhookBatches, type WebhookBatches } from './settle/webhook-batches.ts';
import { createSettle, type Settle } from './settle.ts';
import { deleteCopies, type SourceCopies } from './submit/copy-sources.ts';
import { createSubmitBatches, type SubmitBatches } from './submit/submit-batches.ts';

type LifecycleSettings = {
  readonly taskTimeoutSeconds: number;
  readonly resultTtlSeconds: number;
  readonly webhookRetryDelaysSeconds: readonly number[];
  /** Base of the URLs that providers call back; null when the service has no public URL. */
  readonly providerCallbackBaseUrl: string | null;
  /** Downloads are written here before they are stored. */
  readonly tempFolder: string;
  /** Of the installation, in which costs and revenue are counted. */
  readonly currency: string;
  /** What a charged credit earns, in millionths; null if the operator has not said it. */
  readonly creditMicros: number | null;
};

export type LifecycleDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly catalog: Catalog;
  readonly providers: Registry;
  readonly egress: Egress;
  readonly storage: Storage;
  readonly sources: SourceCopies;
  /** Bounds how many results are downloaded at once. */
  readonly downloadSlots: KeyedSemaphore;
  /** Null makes none: lists then show a placeholder. */
  readonly posters: Posters | null;
  /** Signs results before they are stored. */
  readonly credentials: Credentials;
  readonly resultUrl: ResultUrl;
  readonly callbackBody: FollowUpDeps['callbackBody'];
  /** The digest of an account that providers get as the end user; stable and not reversible. */
  readonly endUserOf: (accountId: string) => string;
  readonly settings: LifecycleSettings;
  /** Absent unless traces are sent. */
  readonly traces?: Traces | undefined;
};

export type LifecycleContext = LifecycleDeps & {
  readonly measurements: Measurements;
  readonly settle: Settle;
  readonly polls: PollBatches;
  readonly submits: SubmitBatches;
  readonly webhooks: WebhookBatches;
  readonly capacityWaits: CapacityWaits;
  readonly usualTimes: UsualTimes;
};

/** What every poll reads and writes; polls that do so at the same time share a statement. */
type PollBatches = {
  find(taskId: string): Promise<PolledTask>;
  /** Throws `LeaseLost` if another worker has claimed the job or it was deleted. */
  reschedule(job: Job, next: NextRun): Promise<void>;
};

type PolledTask = { readonly task: Task | null; readonly attempt: Attempt | null };

const pollBatchItemsMax = 500;

export function createLifecycle(deps: LifecycleDeps): LifecycleContext {
  const measurements = createMeasurements();
  const settleTask = createSettle({ ...deps, measurements });
  const capacityWaits = new CapacityWaits();
  const settle: Settle = async (settlement) => {
    const task = await settleTask(settlement);
    if (task) capacityWaits.onCapacity();
    if (task) await deleteCopies(deps, task);
    return task;
  };
  return {
    ...deps,
    measurements,
    settle,
    polls: createPollBatches(deps),
    submits: createSubmitBatches(deps),
    webhooks: createWebhookBatches(deps),
    capacityWaits,
    usualTimes: new UsualTimes(),
  };
}

function createPollBatches({ db }: LifecycleDeps): PollBatches {
  const limits = { itemsMax: pollBatchItemsMax, inFlightMax: 2 };
  const reads = new Batcher<string, PolledTask>({
    ...limits,
    async run(ids) {
      const [tasks, attempts] = await Promise.all([findTasks(db, ids), findOpenAttempts(db, ids)]);
      return ids.map((_, at) => ({ task: tasks[at] ?? null, attempt: attempts[at] ?? null }));
    },
  });
  const reschedulings = new Batcher<Rescheduling, boolean>({
    ...limits,
    async run(batch) {
      const leased = await rescheduleAll(db, batch);
      return batch.map(({ job }) => leased.has(job.id));
    },
  });
  return {
    find: (taskId) => reads.add(taskId),
    async reschedule(job, next) {
      if (!(await reschedulings.add({ job, next }))) throw new LeaseLost(job);
    },
  };
}

/** The capacity that tasks wait for, as the waker of this process has last read it. */
export class CapacityWaits {
  #keys: ReadonlySet<string> = new Set();
  readonly #turns = new Map<
    number,
    { readonly keys: readonly string[]; readonly untilMs: number }
  >();
  /** Called when a task has ended here: one that waits may have its capacity. */
  onCapacity: () => void = () => {};

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  has(key: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(key);
  }

  replace(keys: Iterable<string>): void {
    this.#keys = new Set(keys);
  }

  /** These jobs were woken for this capacity, and will soon take it. */
  beginTurns(jobIds: readonly number[], keys: readonly string[]): void {
    const untilMs = monotonicMs() + turnMsMax;
    for (const id of jobIds) this.#turns.set(id, { keys, untilMs });
  }

  /** The job has taken capacity, or does not need it. */
  endTurn(jobId: number): void {
    this.#turns.delete(jobId);
  }

  /** Whether the waker has counted this capacity, and no other, for the job to take now. */
  isCountedFor(jobId: number, key: string): boolean {
    const turn = this.#turns.get(jobId);
    return turn?.keys.join() === key && turn.untilMs >= monotonicMs();
  }

  /** How many jobs are about to take this capacity. */
  countTurns(key: string): number {
    const nowMs = monotonicMs();
    let count = 0;
    for (const [id, { keys, untilMs }] of this.#turns) {
      if (untilMs < nowMs) this.#turns.delete(id);
      else if (keys.includes(key)) count += 1;
    }
    return count;
  }
}

/** Another process may have claimed the job. */
const turnMsMax = 1000;
