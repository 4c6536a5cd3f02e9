/**
 * Claims due work, runs its stage, and keeps its leases alive. A stage writes its own outcome; what
 * throws is tried again later. Woken by the commit that makes work due, and looks by itself
 * besides.
 */
import { randomBytes } from 'node:crypto';
import { monotonicMs, sleep, startInterval } from '../clock.ts';
import type { LifecycleContext } from '../lifecycle/context.ts';
import { type Stage, stages } from '../lifecycle/stages.ts';
import { type ClaimOptions, claim, promoteDue } from '../queue/claim.ts';
import { type ClockWatch, watchClock } from '../queue/clock-rollback.ts';
import { jobsChannel } from '../queue/enqueue.ts';
import {
  crashCountMax,
  isolateAfterCrashes,
  type Job,
  LeaseLost,
  leaseSeconds,
  type QueueName,
  queueOf,
} from '../queue/job.ts';
import { release, releaseAllExcept, renew, reschedule } from '../queue/outcome.ts';
import { rescue } from '../queue/rescuer.ts';

/** How long due work can go unnoticed when no notification arrives. */
const pollIntervalMs = 250;
const leaseMs = leaseSeconds * 1000;
const renewMs = leaseMs / 3;
/** How soon a lease that could not be renewed is known to be over. */
const leaseCheckMs = 500;
const rescueMs = 2000;

export type WorkerSettings = {
  /** Jobs at once, by lane: submits are mostly waiting for others, looks and calls entirely. */
  readonly slots: Record<QueueName, number>;
  readonly perAccount: Record<QueueName, number>;
  readonly webhooksPerReceiver: number;
  /** How long a stop waits for running stages before it gives their leases back. */
  readonly drainMs: number;
};

export const defaultWorkerSettings: WorkerSettings = {
  // Looks: as many as a provider's longest list reads in one call, and as many again that have
  // their answer and are being collected (Decision 0027).
  slots: { work: 64, looks: 1024, calls: 512 },
  // A receiver that hangs holds a call for 15 s. It takes four of them to make the account's others
  // wait, and 16 such accounts to make other accounts wait.
  perAccount: { work: 64, looks: 1024, calls: 32 },
  webhooksPerReceiver: 8,
  drainMs: 20_000,
};

/** What one account, and one of its receivers, may have of a lane. */
export function claimLimits(
  queue: QueueName,
  { perAccount, webhooksPerReceiver }: WorkerSettings,
): Pick<ClaimOptions, 'perAccountMax' | 'perReceiverMax'> {
  const perAccountMax = perAccount[queue];
  return { perAccountMax, perReceiverMax: queue === 'calls' ? webhooksPerReceiver : perAccountMax };
}

type RunningJob = {
  readonly job: Job;
  readonly lease: AbortController;
  readonly done: Promise<void>;
  /** Until then it is ours for certain: counted from when we asked, not from the answer. */
  leasedUntilMs: number;
};

export class Worker {
  readonly owner = `worker-${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly #lifecycle: LifecycleContext;
  readonly #settings: WorkerSettings;
  readonly #running = new Map<number, RunningJob>();
  readonly #stopping = new AbortController();
  readonly #timers: { stop(): void }[] = [];
  readonly #clock: ClockWatch;
  #listening: { stop(): Promise<void> } | undefined;
  #wake = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  /** Whether jobs may be leased to us that we do not run: the database was lost on the way. */
  #mayHaveOrphans = false;

  constructor(lifecycle: LifecycleContext, settings: WorkerSettings = defaultWorkerSettings) {
    this.#lifecycle = lifecycle;
    this.#settings = settings;
    const retryDelays = lifecycle.settings.webhookRetryDelaysSeconds;
    this.#clock = watchClock(lifecycle.db, {
      webhookDelaySecondsMax: 2 * Math.max(0, ...retryDelays),
    });
  }

  async start(): Promise<void> {
    const { db } = this.#lifecycle;
    // The embedded engine has one process: every lease that is not ours is a dead one's.
    if (db.engine === 'embedded') await rescue(db, { soleLiveOwner: this.owner });
    this.#listening = await db.listen(jobsChannel, () => this.#wake.abort());
    this.#timers.push(
      startInterval(renewMs, () => this.#retryOnDatabaseError('renew', () => this.#renew())),
    );
    this.#timers.push(startInterval(leaseCheckMs, () => this.#abortExpiredLeases()));
    this.#timers.push(
      startInterval(rescueMs, () => this.#retryOnDatabaseError('rescue', () => this.#rescue())),
    );
    this.#loop = this.#run();
  }

  /** Takes no new work, waits for what is running, and gives back what does not end in time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    await waitAtMost(this.#settings.drainMs, all);
    for (const timer of this.#timers) timer.stop();
    await this.#listening?.stop();
    const left = [...this.#running.values()];
    for (const { lease } of left) lease.abort();
    if (left.length > 0) {
      await release(
        this.#lifecycle.db,
        left.map(({ job }) => job),
      );
      await waitAtMost(2000, Promise.all(left.map(({ done }) => done)));
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController();
      const claimed = await this.#retryOnDatabaseError('claim', () => this.#claim());
      if (claimed === undefined) this.#mayHaveOrphans = true;
      // Work taken means there may be more: ask again at once, else wait to be woken.
      if (!claimed) await sleep(pollIntervalMs, this.#wake.signal);
    }
  }

  async #claim(): Promise<boolean> {
    const { db } = this.#lifecycle;
    if (this.#mayHaveOrphans) await this.#releaseOrphans();
    await promoteDue(db);
    let claimed = 0;
    for (const queue of ['work', 'looks', 'calls'] as const) {
      const jobsMax = this.#settings.slots[queue] - this.#countRunning(queue);
      if (jobsMax <= 0 || this.#stopping.signal.aborted) continue;
      const limits = claimLimits(queue, this.#settings);
      const includeIsolated = !this.#runsIsolated();
      const { owner } = this;
      const leasedUntilMs = monotonicMs() + leaseMs;
      const jobs = await claim(db, { owner, queue, jobsMax, ...limits, includeIsolated });
      for (const job of jobs) this.#begin(job, { leasedUntilMs });
      claimed += jobs.length;
    }
    return claimed > 0;
  }

  #begin(job: Job, { leasedUntilMs }: Pick<RunningJob, 'leasedUntilMs'>): void {
    const lease = new AbortController();
    const done = this.#runStage(job, lease.signal).then((isWritten) => {
      // Its last word may have been heard, and the answer lost: then it may be claimed anew by now.
      if (this.#running.get(job.id)?.job === job) this.#running.delete(job.id);
      if (!isWritten) this.#mayHaveOrphans = true;
      this.#wake.abort();
    });
    this.#running.set(job.id, { job, lease, done, leasedUntilMs });
  }

  /** Answers whether the job is another's, or gone on, for certain. */
  async #runStage(job: Job, lease: AbortSignal): Promise<boolean> {
    const { log } = this.#lifecycle;
    const stage: Stage = stages[job.kind];
    const logFields = { job: job.id, kind: job.kind, taskId: job.taskId };
    try {
      if (job.crashCount >= crashCountMax) {
        log.error({ ...logFields, crashCount: job.crashCount }, 'gave up: its workers died');
        await stage.onPoisoned(this.#lifecycle, job);
      } else {
        await stage.run(this.#lifecycle, job, lease);
      }
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) {
        log.debug(logFields, error.message);
        return !lease.aborted;
      }
      log.error({ ...logFields, error }, 'the stage threw; it will be tried again');
      const retried = await this.#retryOnDatabaseError('retry', () =>
        this.#retry(job, stage, error as Error),
      );
      return retried !== undefined;
    }
  }

  async #retry(job: Job, stage: Stage, error: Error): Promise<true> {
    const delays = stage.retrySeconds;
    const delaySeconds = delays[Math.min(job.attempts, delays.length - 1)]!;
    const next = { kind: job.kind, delaySeconds, retry: true, error: error.message };
    await reschedule(this.#lifecycle.db, job, next).catch((lost) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
    return true;
  }

  /**
   * A claim whose answer was lost, a retry that could not be written: nobody works on these, and no
   * worker died of them. Only between claims, when none is under way.
   */
  async #releaseOrphans(): Promise<void> {
    this.#mayHaveOrphans = false;
    try {
      await releaseAllExcept(this.#lifecycle.db, [...this.#running.keys()], { owner: this.owner });
    } catch (error) {
      this.#mayHaveOrphans = true;
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    const leasedUntilMs = monotonicMs() + leaseMs;
    const renewed = renew(
      this.#lifecycle.db,
      running.map(({ job }) => job),
    ).then((leased) => {
      for (const one of running) {
        if (leased.has(one.job.id)) one.leasedUntilMs = leasedUntilMs;
        else one.lease.abort();
      }
    });
    // A connection that has fallen silent must not keep us from asking again over another.
    await waitAtMost(renewMs, renewed);
  }

  /** By now another may have been given the job: whatever is being done for it ends. */
  #abortExpiredLeases(): void {
    const nowMs = monotonicMs();
    for (const { leasedUntilMs, lease } of this.#running.values()) {
      if (nowMs >= leasedUntilMs) lease.abort();
    }
  }

  async #rescue(): Promise<void> {
    const rescued = await rescue(this.#lifecycle.db, { callingOwner: this.owner });
    // Of our own, no rescuer frees what a claim took that we had given up waiting for.
    this.#mayHaveOrphans = true;
    const { log } = this.#lifecycle;
    if (rescued > 0) log.warn({ jobs: rescued }, 'freed the work of a dead worker');
    const due = await this.#clock.check();
    if (due > 0) log.warn({ jobs: due }, 'the clock was set back: made due what waited for it');
  }

  #countRunning(queue: QueueName): number {
    let count = 0;
    for (const { job } of this.#running.values()) {
      if (queueOf[job.kind] === queue) count += 1;
    }
    return count;
  }

  #runsIsolated(): boolean {
    return [...this.#running.values()].some(({ job }) => job.crashCount >= isolateAfterCrashes);
  }

  /** The database may be away for a while; the worker stays, and looks again. */
  async #retryOnDatabaseError<T>(step: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#lifecycle.log.error({ error, step }, 'the worker could not reach its database');
      await sleep(pollIntervalMs, this.#stopping.signal);
      return undefined;
    }
  }
}

/** Waits for the work, but no longer; leaves no timer behind that would hold the process up. */
async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const finished = new AbortController();
  await Promise.race([work, sleep(ms, finished.signal)]);
  finished.abort();
}
