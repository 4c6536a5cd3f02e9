/**
 * Claims due work, runs its stage, and keeps its leases alive. A stage writes its own outcome; what
 * throws is tried again later. Woken by the commit that makes work due, and looks by itself
 * besides.
 */
import { randomBytes } from 'node:crypto';
import { elapsedMs, every, sleep } from '../clock.ts';
import type { Lifecycle } from '../lifecycle/context.ts';
import { type Stage, stages } from '../lifecycle/stages.ts';
import { type ClockWatch, watchClock } from '../queue/clock-set-back.ts';
import { deathsMax, type Job, type Lane, LeaseLost, laneOf, suspectDeaths } from '../queue/job.ts';
import {
  type Claim,
  claim,
  giveBackAllBut,
  goOn,
  leaseSeconds,
  promoteDue,
  release,
  renew,
  workChannel,
} from '../queue/queue.ts';
import { rescue } from '../queue/rescuer.ts';

/** How long due work can go unnoticed when no notification arrives. */
const lookMs = 250;
const leaseMs = leaseSeconds * 1000;
const renewMs = leaseMs / 3;
/** How soon a lease that could not be renewed is known to be over. */
const overdueMs = 500;
const rescueMs = 2000;

export type WorkerSettings = {
  /** Jobs at once, by lane: submits are mostly waiting for others, looks and calls entirely. */
  readonly slots: Record<Lane, number>;
  readonly perAccount: Record<Lane, number>;
  readonly callsPerReceiver: number;
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
  callsPerReceiver: 8,
  drainMs: 20_000,
};

/** What one account, and one of its receivers, may have of a lane. */
export function sharesOf(
  lane: Lane,
  { perAccount, callsPerReceiver }: WorkerSettings,
): Pick<Claim, 'perAccountMax' | 'perReceiverMax'> {
  const perAccountMax = perAccount[lane];
  return { perAccountMax, perReceiverMax: lane === 'calls' ? callsPerReceiver : perAccountMax };
}

type Running = {
  readonly job: Job;
  readonly lease: AbortController;
  readonly done: Promise<void>;
  /** Until then it is ours for certain: counted from when we asked, not from the answer. */
  heldUntilMs: number;
};

export class Worker {
  readonly owner = `worker-${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly #lifecycle: Lifecycle;
  readonly #settings: WorkerSettings;
  readonly #running = new Map<number, Running>();
  readonly #stopping = new AbortController();
  readonly #timers: { stop(): void }[] = [];
  readonly #clock: ClockWatch;
  #listening: { stop(): Promise<void> } | undefined;
  #wake = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  /** Whether jobs may be leased to us that we do not run: the database was lost on the way. */
  #mayHoldMore = false;

  constructor(lifecycle: Lifecycle, settings: WorkerSettings = defaultWorkerSettings) {
    this.#lifecycle = lifecycle;
    this.#settings = settings;
    const gapsSeconds = lifecycle.settings.webhookGapsSeconds;
    this.#clock = watchClock(lifecycle.db, { callSecondsMax: 2 * Math.max(0, ...gapsSeconds) });
  }

  async start(): Promise<void> {
    const { db } = this.#lifecycle;
    // The embedded engine has one process: every lease that is not ours is a dead one's.
    if (db.engine === 'embedded') await rescue(db, { deadOwnersExcept: this.owner });
    this.#listening = await db.listen(workChannel, () => this.#wake.abort());
    this.#timers.push(every(renewMs, () => this.#guarded('renew', () => this.#renew())));
    this.#timers.push(every(overdueMs, () => this.#letOverdueGo()));
    this.#timers.push(every(rescueMs, () => this.#guarded('rescue', () => this.#rescue())));
    this.#loop = this.#run();
  }

  /** Takes no new work, waits for what is running, and gives back what does not end in time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    await within(this.#settings.drainMs, all);
    for (const timer of this.#timers) timer.stop();
    await this.#listening?.stop();
    const left = [...this.#running.values()];
    for (const { lease } of left) lease.abort();
    if (left.length > 0) {
      await release(
        this.#lifecycle.db,
        left.map(({ job }) => job),
      );
      await within(2000, Promise.all(left.map(({ done }) => done)));
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController();
      const claimed = await this.#guarded('claim', () => this.#claim());
      if (claimed === undefined) this.#mayHoldMore = true;
      // Work taken means there may be more: ask again at once, else wait to be woken.
      if (!claimed) await sleep(lookMs, this.#wake.signal);
    }
  }

  async #claim(): Promise<boolean> {
    const { db } = this.#lifecycle;
    if (this.#mayHoldMore) await this.#giveBackRest();
    await promoteDue(db);
    let claimed = 0;
    for (const lane of ['work', 'looks', 'calls'] as const) {
      const jobsMax = this.#settings.slots[lane] - this.#countRunning(lane);
      if (jobsMax <= 0 || this.#stopping.signal.aborted) continue;
      const shares = sharesOf(lane, this.#settings);
      const suspectToo = !this.#runsSuspect();
      const { owner } = this;
      const heldUntilMs = elapsedMs() + leaseMs;
      const jobs = await claim(db, { owner, lane, jobsMax, ...shares, suspectToo });
      for (const job of jobs) this.#begin(job, { heldUntilMs });
      claimed += jobs.length;
    }
    return claimed > 0;
  }

  #begin(job: Job, { heldUntilMs }: Pick<Running, 'heldUntilMs'>): void {
    const lease = new AbortController();
    const done = this.#runStage(job, lease.signal).then((isWritten) => {
      // Its last word may have been heard, and the answer lost: then it may be claimed anew by now.
      if (this.#running.get(job.id)?.job === job) this.#running.delete(job.id);
      if (!isWritten) this.#mayHoldMore = true;
      this.#wake.abort();
    });
    this.#running.set(job.id, { job, lease, done, heldUntilMs });
  }

  /** Answers whether the job is another's, or gone on, for certain. */
  async #runStage(job: Job, lease: AbortSignal): Promise<boolean> {
    const { log } = this.#lifecycle;
    const stage: Stage = stages[job.kind];
    const about = { job: job.id, kind: job.kind, taskId: job.taskId };
    try {
      if (job.deaths >= deathsMax) {
        log.error({ ...about, deaths: job.deaths }, 'gave up: its workers died');
        await stage.giveUp(this.#lifecycle, job);
      } else {
        await stage.run(this.#lifecycle, job, lease);
      }
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) {
        log.debug(about, error.message);
        return !lease.aborted;
      }
      log.error({ ...about, error }, 'the stage threw; it will be tried again');
      const retried = await this.#guarded('retry', () => this.#retry(job, stage, error as Error));
      return retried !== undefined;
    }
  }

  async #retry(job: Job, stage: Stage, error: Error): Promise<true> {
    const gaps = stage.retrySeconds;
    const delaySeconds = gaps[Math.min(job.attempts, gaps.length - 1)]!;
    const next = { kind: job.kind, delaySeconds, retry: true, error: error.message };
    await goOn(this.#lifecycle.db, job, next).catch((lost) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
    return true;
  }

  /**
   * A claim whose answer was lost, a retry that could not be written: nobody works on these, and no
   * worker died of them. Only between claims, when none is under way.
   */
  async #giveBackRest(): Promise<void> {
    this.#mayHoldMore = false;
    try {
      await giveBackAllBut(this.#lifecycle.db, [...this.#running.keys()], { owner: this.owner });
    } catch (error) {
      this.#mayHoldMore = true;
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    const heldUntilMs = elapsedMs() + leaseMs;
    const renewed = renew(
      this.#lifecycle.db,
      running.map(({ job }) => job),
    ).then((held) => {
      for (const one of running) {
        if (held.has(one.job.id)) one.heldUntilMs = heldUntilMs;
        else one.lease.abort();
      }
    });
    // A connection that has fallen silent must not keep us from asking again over another.
    await within(renewMs, renewed);
  }

  /** By now another may have been given the job: whatever is being done for it ends. */
  #letOverdueGo(): void {
    const nowMs = elapsedMs();
    for (const { heldUntilMs, lease } of this.#running.values()) {
      if (nowMs >= heldUntilMs) lease.abort();
    }
  }

  async #rescue(): Promise<void> {
    const freed = await rescue(this.#lifecycle.db, { livingOwner: this.owner });
    // Of our own, no rescuer frees what a claim took that we had given up waiting for.
    this.#mayHoldMore = true;
    const { log } = this.#lifecycle;
    if (freed > 0) log.warn({ jobs: freed }, 'freed the work of a dead worker');
    const due = await this.#clock.look();
    if (due > 0) log.warn({ jobs: due }, 'the clock was set back: made due what waited for it');
  }

  #countRunning(lane: Lane): number {
    let count = 0;
    for (const { job } of this.#running.values()) {
      if (laneOf[job.kind] === lane) count += 1;
    }
    return count;
  }

  #runsSuspect(): boolean {
    return [...this.#running.values()].some(({ job }) => job.deaths >= suspectDeaths);
  }

  /** The database may be away for a while; the worker stays, and looks again. */
  async #guarded<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#lifecycle.log.error({ error, what }, 'the worker could not reach its database');
      await sleep(lookMs, this.#stopping.signal);
      return undefined;
    }
  }
}

/** Waits for the work, but no longer; leaves no timer behind that would hold the process up. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, sleep(ms, over.signal)]);
  over.abort();
}
