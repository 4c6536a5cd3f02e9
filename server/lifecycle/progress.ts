/**
 * How far a generation has come, for the operator's eyes only: written about once a second while a
 * provider is looked at, and only by whoever still holds the job.
 */
import { elapsedMs } from '../clock.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { hold } from '../queue/queue.ts';
import { recordProgress } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import type { Lifecycle } from './context.ts';

export type ProgressKeeper = {
  /** From 0 to 1. Never waits and never throws: what comes too soon after the last is dropped. */
  report(share: number): void;
  /** Resolves when nothing is being written any more. */
  settled(): Promise<void>;
};

type Kept = {
  readonly task: Pick<Task, 'id' | 'progress'>;
  readonly job: Job;
  readonly lease: AbortSignal;
  readonly gapMs?: number;
};

/** An operator's page is looked at by a person: more would only be load. */
const gapMsDefault = 1_000;

export function keepProgress(
  { db, log }: Pick<Lifecycle, 'db' | 'log'>,
  { task, job, lease, gapMs = gapMsDefault }: Kept,
): ProgressKeeper {
  let written = task.progress;
  let writtenMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;

  async function write(share: number): Promise<void> {
    try {
      await db.transaction(async (tx) => {
        await recordProgress(tx, task.id, share);
        // The task before the job, as everywhere: two orders would be a deadlock.
        await hold(tx, job);
      });
      written = share;
    } catch (error) {
      // The render matters, not the figure; who lost the lease is told by its signal.
      if (!(error instanceof LeaseLost)) log.debug({ taskId: task.id, error }, 'progress not kept');
    }
  }

  return {
    report(share) {
      const isSoon = elapsedMs() - writtenMs < gapMs;
      if (writing || isSoon || lease.aborted || !(share >= 0 && share <= 1)) return;
      if (share === written) return;
      writtenMs = elapsedMs();
      writing = write(share).finally(() => {
        writing = undefined;
      });
    },
    async settled() {
      await writing;
    },
  };
}
