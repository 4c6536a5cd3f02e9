/**
 * How far a generation has come, for the operator's eyes only: written about once a second while a
 * provider is looked at, and only by whoever still holds the job.
 */
import { monotonicMs } from '../clock.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { requireLease } from '../queue/outcome.ts';
import { recordProgress } from '../tasks/store.ts';
import type { Task } from '../tasks/task.ts';
import type { LifecycleContext } from './context.ts';

export type ProgressReporter = {
  /** From 0 to 1. Never waits and never throws: what comes too soon after the last is dropped. */
  report(fraction: number): void;
  /** Resolves when nothing is being written any more. */
  settled(): Promise<void>;
};

type ProgressOptions = {
  readonly task: Pick<Task, 'id' | 'progress'>;
  readonly job: Job;
  readonly lease: AbortSignal;
  readonly intervalMs?: number;
};

/** An operator's page is looked at by a person: more would only be load. */
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
        // The task before the job, as everywhere: two orders would be a deadlock.
        await requireLease(tx, job);
      });
      lastWritten = fraction;
    } catch (error) {
      // The render matters, not the figure; who lost the lease is told by its signal.
      if (!(error instanceof LeaseLost)) log.debug({ taskId: task.id, error }, 'progress not kept');
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
