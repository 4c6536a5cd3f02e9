/** The table of a task's life after it was accepted: which code runs which kind of due work. */
import type { Job, JobKind } from '../queue/job.ts';
import { finish, reschedule } from '../queue/outcome.ts';
import { findOpenAttempt, recordLoss } from '../tasks/attempts.ts';
import { findTask } from '../tasks/store.ts';
import { taskRef } from '../tasks/task.ts';
import { getDelivery, recordAttempt } from '../webhooks/delivery.ts';
import type { LifecycleContext } from './context.ts';
import { expire } from './expire.ts';
import { notify } from './notify.ts';
import { poll } from './poll.ts';
import { cancelAtProvider, possibleLoss } from './possible-loss.ts';
import { submit } from './submit.ts';

export type Stage = {
  /** `lease` fires when the job is no longer ours: stop, whatever is being done. */
  readonly run: (lifecycle: LifecycleContext, job: Job, lease: AbortSignal) => Promise<void>;
  /** After a job has killed its workers too often: end it without running it again. */
  readonly onPoisoned: (lifecycle: LifecycleContext, job: Job) => Promise<void>;
  /** Waits after a run that threw, which is our fault and never the customer's. */
  readonly retrySeconds: readonly number[];
};

export const stages = {
  submit: { run: submit, onPoisoned: failTask, retrySeconds: [1, 5, 15, 60] },
  poll: { run: poll, onPoisoned: failTask, retrySeconds: [1, 5, 15, 60] },
  notify: { run: notify, onPoisoned: exhaustDelivery, retrySeconds: [5, 30, 120, 600] },
  expire: { run: expire, onPoisoned: retryTomorrow, retrySeconds: [5, 60, 600, 3600] },
} as const satisfies Record<JobKind, Stage>;

/** Poison: the task ends failed and refunded, and is kept for inspection. */
async function failTask(lifecycle: LifecycleContext, job: Job): Promise<void> {
  const task = await findTask(lifecycle.db, job.taskId);
  if (!task) return;
  const attempt = await findOpenAttempt(lifecycle.db, task.id);
  const ended = 'given up';
  const failed = await lifecycle.settle({
    ...taskRef(task),
    end: 'failed',
    job,
    reason: 'internal_error',
    attempt: 'abandoned',
    detail: `its worker died ${job.crashCount} times in a row`,
    loss: possibleLoss(attempt, { cancelResult: null, ended }),
  });
  if (!failed || !attempt?.operation) return;
  // Only now: whatever kills workers here must not keep the task from ending.
  const cancelResult = await cancelAtProvider(lifecycle, attempt);
  const { taskId, number } = attempt;
  const loss = possibleLoss(attempt, { cancelResult, ended }) ?? null;
  await recordLoss(lifecycle.db, { taskId, number, loss });
}

async function exhaustDelivery({ db }: LifecycleContext, job: Job): Promise<void> {
  const delivery = await getDelivery(db, job.deliveryId!);
  await db.transaction(async (tx) => {
    const outcome = {
      delivered: false,
      responseStatus: null,
      responseBody: null,
      error: 'closed',
      durationMs: 0,
    } as const;
    await recordAttempt(tx, { delivery, outcome, retriesMax: 0 });
    await finish(tx, job);
  });
}

/** The files stay, unreachable, until someone finds out why removing them kills a worker. */
async function retryTomorrow({ db }: LifecycleContext, job: Job): Promise<void> {
  await reschedule(db, job, { kind: 'expire', delaySeconds: 86_400, retry: true });
}
