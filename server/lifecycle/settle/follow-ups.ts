/**
 * What follows the end of a task, created in the commit that makes the task final so that nothing
 * is forgotten: its webhook delivery, the expiry of its result, and the notification of clients.
 */
import type { Transaction } from '../../database/database.ts';
import { enqueue } from '../../queue/enqueue.ts';
import type { NewJob } from '../../queue/job.ts';
import { modelArkView } from '../../tasks/modelark-view.ts';
import type { Task } from '../../tasks/task.ts';
import { notifyTaskChanges } from '../../tasks/task-changes.ts';
import { type ResultUrl, webhookPayload } from '../../tasks/view.ts';
import { type Delivery, insertDeliveries } from '../../webhooks/delivery.ts';

export type FollowUpDeps = {
  readonly resultUrl: ResultUrl;
};

export async function enqueueFollowUps(
  { resultUrl }: FollowUpDeps,
  tx: Transaction,
  tasks: readonly Task[],
): Promise<void> {
  const deliveries = await insertDeliveries(
    tx,
    tasks.flatMap((task) => {
      const { id: taskId, accountId, mode, callbackUrl: url } = task;
      if (url === null) return [];
      const body = JSON.stringify(callbackBody(task, resultUrl));
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

/** In the shape of the API that the task was created through. */
export const callbackBody = (task: Task, resultUrl: ResultUrl): unknown =>
  task.dialect ? modelArkView(task, resultUrl) : webhookPayload(task, resultUrl);

/** The job that sends the webhook of a delivery. */
export const notifyJob = (
  delivery: Pick<Delivery, 'id' | 'accountId' | 'taskId' | 'url'>,
): NewJob => {
  const { id: deliveryId, accountId, taskId, url: receiverUrl } = delivery;
  return { kind: 'notify', accountId, taskId, deliveryId, receiverUrl };
};
