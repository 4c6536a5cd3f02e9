/**
 * Writes the progress of a generation for admins, about once a second during a poll, and only while
 * this worker leases the job.
 */
import { monotonicMs } from '../../process/clock.ts';
import { type Job, LeaseLost } from '../../queue/job.ts';
import { requireLease } from '../../queue/outcome.ts';
import { recordProgress } from '../../tasks/store.ts';
import type { Task } from '../../tasks/task.ts';
import type { LifecycleContext } from '../context.ts';

export type ProgressReporter = {
  /**
   * Takes a fraction from 0 to 1. Never waits and never throws; reports within the interval are
   * dropped.
   */
  report(fraction: number): void;
  /** Resolves when no write is under way. */
  settled(): Promise<void>;
};

type ProgressOptions = {
  readonly task: Pick<Task, 'id' | 'progress'>;
  readonly job: Job;
  readonly lease: AbortSignal;
  readonly intervalMs?: number;
};

/** People watch the progress; a shorter interval would only add load. */
const intervalMsDefault = 1_000;

export function createProgressReporter(
  { db, log }: Pick<LifecycleContext, 'db' | 'log'>,
  { task, job, lease, intervalMs = intervalMsDefault }: ProgressOptions,
): ProgressReporter {
  let lastWritten = task.progress;
  let lastWrittenMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;

  async function write(fraction: number): Promise<void> {
    try {
      await db.transaction(async (tx) => {
        await recordProgress(tx, task.id, fraction);
        // Lock order is task, job. The other order can deadlock.
        await requireLease(tx, job);
      });
      lastWritten = fraction;
    } catch (error) {
      // Progress is optional. A lost lease aborts the stage through its signal.
      if (!(error instanceof LeaseLost))
        log.debug({ taskId: task.id, error }, 'progress not saved');
    }
  }

  return {
    report(fraction) {
      const isTooSoon = monotonicMs() - lastWrittenMs < intervalMs;
      if (writing || isTooSoon || lease.aborted || !(fraction >= 0 && fraction <= 1)) return;
      if (fraction === lastWritten) return;
      lastWrittenMs = monotonicMs();
      writing = write(fraction).finally(() => {
        writing = undefined;
      });
    },
    async settled() {
      await writing;
    },
  };
}
