/**
 * Claims due jobs, runs their stages and renews their leases. A stage writes its own outcome; one
 * that throws is retried later. Commits that make work due notify the worker, which also polls on
 * its own.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Batcher } from '../database/batcher.ts';
import type { LifecycleContext } from '../lifecycle/context.ts';
import { type Stage, stages } from '../lifecycle/stages.ts';
import { createWaker } from '../lifecycle/submit/provider-capacity.ts';
import { monotonicMs, sleep, startInterval } from '../process/clock.ts';
import { claim, lastAccountId, promoteDue } from '../queue/claim.ts';
import { jobsChannel } from '../queue/enqueue.ts';
import {
  crashCountMax,
  isolateAfterCrashes,
  type Job,
  LeaseLost,
  leaseSeconds,
  type QueueName,
  queueNames,
  queueOf,
} from '../queue/job.ts';
import { release, releaseAllExcept, renew, reschedule } from '../queue/outcome.ts';
import { type ClockWatch, rescue, watchClock } from '../queue/rescuer.ts';
import { claimLimits, defaultWorkerSettings, type WorkerSettings } from './worker-settings.ts';

/** How long a due job can go unnoticed without a notification. */
const pollIntervalMs = 250;
/**
 * The least time between claims. Jobs that end or become due meanwhile share the next claim, and
 * jobs that begin together share their statements.
 */
const claimGapMs = 20;
/** The same after a claim of many jobs: the next one finds many, too. */
const busyClaimGapMs = 100;
const busyClaimJobs = 16;
const leaseMs = leaseSeconds * 1000;
const renewMs = leaseMs / 3;
/** How soon the worker notices that a lease it could not renew has expired. */
const leaseCheckMs = 500;
const rescueMs = 2000;
/** Keeps jobs that an outage failed together from being retried together. */
const retryJitter = 0.2;
/** How long capacity that another process has freed can go unnoticed by jobs that wait for it. */
const wakeMs = 250;

type RunningJob = {
  readonly job: Job;
  readonly lease: AbortController;
  readonly done: Promise<void>;
  /** Until then the lease is certainly held: counted from the request, not from the response. */
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
  /** Where claims go on when more accounts wait than there are slots. */
  readonly #lastAccountIds: Record<QueueName, string> = {
    default: randomUUID(),
    polls: randomUUID(),
    webhooks: randomUUID(),
  };
  #listening: { stop(): Promise<void> } | undefined;
  #wake = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  /**
   * Whether jobs may be leased to this worker that it does not run: a response of the database was
   * lost.
   */
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
    if (this.#settings.isOnlyProcess) await rescue(db, { soleLiveOwner: this.owner });
    this.#listening = await db.listen(jobsChannel, () => this.#wakeUp());
    const { capacityWaits } = this.#lifecycle;
    const wakes = this.#createWakes();
    capacityWaits.onCapacity = () => {
      if (!capacityWaits.isEmpty) void wakes.add(null);
    };
    this.#timers.push(
      startInterval(wakeMs, () => wakes.add(null)),
      startInterval(renewMs, () => this.#retryOnError('renew', () => this.#renew())),
      startInterval(leaseCheckMs, () => this.#abortExpiredLeases()),
      startInterval(rescueMs, () => this.#retryOnError('rescue', () => this.#rescue())),
    );
    this.#loop = this.#run();
  }

  /** Wakes waiting jobs one round at a time: all that ask meanwhile share the next. */
  #createWakes(): Batcher<null, void> {
    const wakeWaiting = createWaker(this.#lifecycle);
    return new Batcher({
      itemsMax: Number.POSITIVE_INFINITY,
      inFlightMax: 1,
      run: async (asked) => {
        await this.#retryOnError('wake', wakeWaiting);
        return asked.map(() => undefined);
      },
    });
  }

  /** Claims no more jobs, waits for running stages, and releases those that do not end in time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    await waitAtMost(this.#settings.drainMs, all);
    for (const timer of this.#timers) timer.stop();
    await this.#listening?.stop();
    const left = [...this.#running.values()];
    if (left.length === 0) return;
    for (const { lease } of left) lease.abort();
    const jobs = left.map(({ job }) => job);
    await release(this.#lifecycle.db, jobs);
    await waitAtMost(2000, Promise.all(left.map(({ done }) => done)));
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const claimedAtMs = monotonicMs();
      this.#wake = new AbortController();
      const claimed = await this.#retryOnError('claim', () => this.#claim());
      if (claimed === undefined) this.#mayHaveOrphans = true;
      // There may be more work after a successful claim: claim again at once, else wait for a
      // notification.
      if (!claimed) await sleep(pollIntervalMs, this.#wake.signal);
      const leastMs = (claimed ?? 0) >= busyClaimJobs ? busyClaimGapMs : claimGapMs;
      const gapMs = leastMs - (monotonicMs() - claimedAtMs);
      if (gapMs > 0) await sleep(gapMs, this.#stopping.signal);
    }
  }

  /** Called for every job that ends: `abort` builds an error each time. */
  #wakeUp(): void {
    if (!this.#wake.signal.aborted) this.#wake.abort();
  }

  /** Returns how many jobs were claimed. */
  async #claim(): Promise<number> {
    const { db } = this.#lifecycle;
    if (this.#mayHaveOrphans) await this.#releaseOrphans();
    const readyQueues = await promoteDue(db);
    let claimed = 0;
    for (const queue of queueNames.filter((name) => readyQueues.has(name))) {
      const jobsMax = this.#settings.slots[queue] - this.#countRunning(queue);
      if (jobsMax <= 0 || this.#stopping.signal.aborted) continue;
      const limits = claimLimits(queue, this.#settings);
      const includeIsolated = !this.#runsIsolated();
      const { owner } = this;
      const leasedUntilMs = monotonicMs() + leaseMs;
      const afterAccountId = this.#lastAccountIds[queue];
      const options = { owner, queue, jobsMax, ...limits, includeIsolated, afterAccountId };
      const jobs = await claim(db, options);
      this.#lastAccountIds[queue] = lastAccountId(jobs, afterAccountId);
      for (const job of jobs) this.#begin(job, { leasedUntilMs });
      claimed += jobs.length;
    }
    return claimed;
  }

  #begin(job: Job, { leasedUntilMs }: Pick<RunningJob, 'leasedUntilMs'>): void {
    const lease = new AbortController();
    const done = this.#runStage(job, lease.signal).then((isWritten) => {
      // The final write may have committed even though its response was lost, so the job may
      // already be claimed again.
      if (this.#running.get(job.id)?.job === job) this.#running.delete(job.id);
      if (!isWritten) this.#mayHaveOrphans = true;
      this.#wakeUp();
    });
    this.#running.set(job.id, { job, lease, done, leasedUntilMs });
  }

  /** Returns whether the outcome is certainly written or the job belongs to another worker. */
  async #runStage(job: Job, lease: AbortSignal): Promise<boolean> {
    const { log } = this.#lifecycle;
    const stage: Stage = stages[job.kind];
    const logFields = { job: job.id, kind: job.kind, taskId: job.taskId };
    try {
      const { crashCount } = job;
      if (crashCount >= crashCountMax) {
        log.error({ ...logFields, crashCount }, 'job abandoned after repeated worker crashes');
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
      log.error({ ...logFields, error }, 'stage failed, retrying');
      const retried = await this.#retryOnError('retry', () =>
        this.#retry(job, stage, error as Error),
      );
      return retried !== undefined;
    }
  }

  async #retry(job: Job, stage: Stage, error: Error): Promise<true> {
    const delays = stage.retrySeconds;
    const seconds = delays[Math.min(job.attempts, delays.length - 1)]!;
    const delaySeconds = seconds * (1 + Math.random() * retryJitter);
    const next = { kind: job.kind, delaySeconds, retry: true, error: error.message };
    await reschedule(this.#lifecycle.db, job, next).catch((lost) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
    return true;
  }

  /**
   * Releases jobs that this worker leases but does not run: the response to a claim was lost, or a
   * retry could not be written. Runs between claims only, so that it cannot release a claim under
   * way.
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
    const jobs = running.map(({ job }) => job);
    const renewed = renew(this.#lifecycle.db, jobs).then((leased) => {
      for (const one of running) {
        if (leased.has(one.job.id)) one.leasedUntilMs = leasedUntilMs;
        else one.lease.abort();
      }
    });
    // A connection that no longer responds must not keep the next renewal from using another.
    await waitAtMost(renewMs, renewed);
  }

  /** Aborts stages whose lease has expired: another worker may have claimed their jobs. */
  #abortExpiredLeases(): void {
    const nowMs = monotonicMs();
    for (const { leasedUntilMs, lease } of this.#running.values()) {
      if (nowMs >= leasedUntilMs) lease.abort();
    }
  }

  async #rescue(): Promise<void> {
    const rescued = await rescue(this.#lifecycle.db, { callingOwner: this.owner });
    // `rescue` skips leases of this worker, also those of a claim it no longer waited for.
    this.#mayHaveOrphans = true;
    const { log } = this.#lifecycle;
    if (rescued > 0) log.warn({ jobs: rescued }, 'rescued jobs of a dead worker');
    const due = await this.#clock.check();
    if (due > 0) log.warn({ jobs: due }, 'database clock moved back, made overdue jobs runnable');
  }

  #countRunning(queue: QueueName): number {
    return [...this.#running.values()].filter(({ job }) => queueOf[job.kind] === queue).length;
  }

  #runsIsolated(): boolean {
    return [...this.#running.values()].some(({ job }) => job.crashCount >= isolateAfterCrashes);
  }

  /** The database may be unreachable for a while: the worker keeps running and tries again. */
  async #retryOnError<T>(step: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#lifecycle.log.error({ error, step }, 'worker step failed, retrying');
      await sleep(pollIntervalMs, this.#stopping.signal);
      return undefined;
    }
  }
}

/**
 * Waits for `work`, at most this long. Leaves no timer behind that would keep the process alive.
 */
async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const finished = new AbortController();
  await Promise.race([work, sleep(ms, finished.signal)]);
  finished.abort();
}
