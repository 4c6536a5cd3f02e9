/**
 * What follows the end of a task, created in the commit that makes the task final so that nothing
 * is forgotten: its webhook delivery, the expiry of its result, and the notification of clients. A
 * replay repeats a delivery with all its retries, with the same ID and body.
 */
import type { KeyMode } from '@vidgen/contract/models.ts';
import { webhookSecrets } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { databaseSeconds } from '../../database/database-clock.ts';
import type { Egress } from '../../egress/egress.ts';
import { deleteDeliveryJob, enqueue } from '../../queue/enqueue.ts';
import type { NewJob } from '../../queue/job.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { findTask, notifyTaskChanges } from '../../tasks/store.ts';
import { isFinal, type Task } from '../../tasks/task.ts';
import type { Log } from '../../telemetry/log.ts';
import {
  type Delivery,
  getDelivery,
  insertDeliveries,
  startReplay,
  startReplays,
} from '../../webhooks/delivery.ts';
import { sendWebhook } from '../../webhooks/send.ts';

export type FollowUpDeps = {
  /** The body of a task's callbacks, in the format of the API that it was created through. */
  readonly callbackBody: (task: Task) => unknown;
};

export async function enqueueFollowUps(
  { callbackBody }: FollowUpDeps,
  tx: Transaction,
  tasks: readonly Task[],
): Promise<void> {
  const deliveries = await insertDeliveries(
    tx,
    tasks.flatMap((task) => {
      const { id: taskId, accountId, mode, callbackUrl: url } = task;
      if (url === null) return [];
      const body = JSON.stringify(callbackBody(task));
      return [{ accountId, taskId, mode, url, body }];
    }),
  );
  const completed = tasks.filter(({ status }) => status === 'completed');
  await Promise.all([
    enqueue(tx, [
      ...deliveries.map(notifyJob),
      ...completed.map(({ id: taskId, accountId, expiresAt, finishedAt }) => {
        const delaySeconds = (expiresAt!.getTime() - finishedAt!.getTime()) / 1000;
        return { kind: 'expire', accountId, taskId, delaySeconds } as const;
      }),
    ]),
    notifyTaskChanges(
      tx,
      tasks.map(({ id }) => id),
    ),
  ]);
}

/** The job that sends the webhook of a delivery. */
const notifyJob = (delivery: Pick<Delivery, 'id' | 'accountId' | 'taskId' | 'url'>): NewJob => {
  const { id: deliveryId, accountId, taskId, url: receiverUrl } = delivery;
  return { kind: 'notify', accountId, taskId, deliveryId, receiverUrl };
};

/** Limited per account, because the receiver may be a third party. */
const replayQuota = {
  purpose: 'replays',
  limit: 60,
  windowSeconds: 3600,
  label: '60 replays an hour',
} as const;

/** `transaction` opens the caller's transaction, which judges the caller's right. */
export async function replay(
  transaction: Database['transaction'],
  { deliveryId, actor }: { deliveryId: string; actor: string },
): Promise<Delivery> {
  return await transaction(async (tx) => {
    // The quota is locked before deliveries, as in `replayFailed`: another order can deadlock.
    const { accountId } = await getDelivery(tx, deliveryId);
    await requireQuota(tx, { accountId, ...replayQuota });
    await recordUse(tx, { accountId, ...replayQuota });
    const delivery = await startReplay(tx, deliveryId);
    // The new round begins now and replaces a retry that is still scheduled.
    await deleteDeliveryJob(tx, deliveryId);
    await enqueue(tx, [notifyJob(delivery)]);
    await recordAudit(tx, { actor, action: 'delivery.replay', subject: deliveryId, accountId });
    return delivery;
  });
}

/**
 * Replays all exhausted deliveries and returns their number. Pending deliveries are not changed.
 * Counts as one replay: a delivery is exhausted again only after all its retries.
 */
export async function replayFailed(
  transaction: Database['transaction'],
  replayed: {
    readonly accountId: string;
    readonly since: Date;
    /** Of both modes without it. */
    readonly mode?: KeyMode | undefined;
    readonly actor: string;
  },
): Promise<number> {
  const { accountId, since, mode, actor } = replayed;
  return await transaction(async (tx) => {
    await requireQuota(tx, { accountId, ...replayQuota });
    await recordUse(tx, { accountId, ...replayQuota });
    const deliveries = await startReplays(tx, { accountId, since, mode });
    // An exhausted delivery has no job that would have to be deleted.
    await enqueue(tx, deliveries.map(notifyJob));
    const detail = { since, ...(mode && { mode }), replayed: deliveries.length };
    await recordAudit(tx, { actor, action: 'deliveries.replay', subject: accountId, detail });
    return deliveries.length;
  });
}

type AnnounceDeps = FollowUpDeps & {
  readonly db: Database;
  readonly log: Log;
  readonly egress: Pick<Egress, 'post'>;
};

/** Calls of a process at once; more are dropped. */
const callsMax = 64;
let callCount = 0;

/**
 * Calls a client whose API calls on every change, before the task is final. As in such APIs, the
 * call is made once, and nothing depends on it; the call of a final task is a delivery, with
 * retries. Returns at once.
 */
export function announceChange(deps: AnnounceDeps, taskId: string): void {
  if (callCount >= callsMax) return;
  callCount += 1;
  void announce(deps, taskId)
    .catch((error) => deps.log.warn({ taskId, error }, 'callback not sent'))
    .finally(() => {
      callCount -= 1;
    });
}

async function announce({ db, egress, callbackBody }: AnnounceDeps, taskId: string) {
  const task = await findTask(db, taskId);
  if (task?.dialect?.name !== 'modelark' || task.callbackUrl === null || isFinal(task)) return;
  const [secrets, nowSeconds] = await Promise.all([
    webhookSecrets(db, task.accountId),
    databaseSeconds(db),
  ]);
  const body = JSON.stringify(callbackBody(task));
  const delivery = { id: `${taskId}_${task.status}`, url: task.callbackUrl, body };
  await sendWebhook(egress.post, { delivery, secrets, nowSeconds });
}
