/** Maps each kind of job to the stage that runs it. */
import type { Job, JobKind } from '../queue/job.ts';
import { finish, reschedule } from '../queue/outcome.ts';
import { recordLoss } from '../tasks/attempts.ts';
import { findOpenAttempt } from '../tasks/find-attempts.ts';
import { findTask } from '../tasks/store.ts';
import { taskRef } from '../tasks/task.ts';
import { getDelivery, recordAttempt } from '../webhooks/delivery.ts';
import type { LifecycleContext } from './context.ts';
import { notify } from './notify.ts';
import { poll } from './poll.ts';
import { attemptCost } from './settle/attempt-cost.ts';
import { cancelAtProvider, possibleLoss } from './settle/possible-loss.ts';
import { submit } from './submit.ts';
import { expire } from './upkeep/sweep.ts';

export type Stage = {
  /** `lease` fires when this worker has lost the lease: the stage must stop. */
  readonly run: (lifecycle: LifecycleContext, job: Job, lease: AbortSignal) => Promise<void>;
  /** Ends a job that has crashed its workers too often, without running it again. */
  readonly onPoisoned: (lifecycle: LifecycleContext, job: Job) => Promise<void>;
  /** Delays after runs that threw. The task does not fail for it. */
  readonly retrySeconds: readonly number[];
};

export const stages = {
  submit: { run: submit, onPoisoned: failTask, retrySeconds: [1, 5, 15, 60] },
  poll: { run: poll, onPoisoned: failTask, retrySeconds: [1, 5, 15, 60] },
  notify: { run: notify, onPoisoned: exhaustDelivery, retrySeconds: [5, 30, 120, 600] },
  expire: { run: expire, onPoisoned: retryTomorrow, retrySeconds: [5, 60, 600, 3600] },
} as const satisfies Record<JobKind, Stage>;

/** Fails and refunds the task of a poisoned job; its attempt is kept for inspection. */
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
    cost: attemptCost(lifecycle, { task, attempt, outcome: 'abandoned' }),
  });
  if (!failed || !attempt?.operation) return;
  // Only after the task has ended: the call may be what crashes workers.
  const cancelResult = await cancelAtProvider(lifecycle, attempt);
  const { taskId, number } = attempt;
  const loss = possibleLoss(attempt, { cancelResult, ended }) ?? null;
  await lifecycle.db.transaction((tx) => recordLoss(tx, { taskId, number, loss }));
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

/** The files stay until the cause of the crashes is fixed; responses no longer link to them. */
async function retryTomorrow({ db }: LifecycleContext, job: Job): Promise<void> {
  await reschedule(db, job, { kind: 'expire', delaySeconds: 86_400, retry: true });
}
