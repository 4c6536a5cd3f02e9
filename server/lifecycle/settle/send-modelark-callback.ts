/**
 * Sends the callbacks of a task that was created through ModelArk's API before it is final: that
 * API calls on every change. Like there, such a call is made once, and nothing depends on it. The
 * call of a final task is a delivery, with retries.
 */
import { webhookSecrets } from '../../accounts/account.ts';
import { databaseSeconds } from '../../database/database-clock.ts';
import { findTask } from '../../tasks/store.ts';
import { isFinal } from '../../tasks/task.ts';
import { sendWebhook } from '../../webhooks/send.ts';
import type { LifecycleContext } from '../context.ts';
import { callbackBody } from './follow-ups.ts';

/** Calls of a process at once; more are dropped. */
const callsMax = 64;
let callCount = 0;

/** Returns at once. */
export function announceChange(lifecycle: LifecycleContext, taskId: string): void {
  if (callCount >= callsMax) return;
  callCount += 1;
  void announce(lifecycle, taskId)
    .catch((error) => lifecycle.log.warn({ taskId, error }, 'callback not sent'))
    .finally(() => {
      callCount -= 1;
    });
}

async function announce({ db, egress, resultUrl }: LifecycleContext, taskId: string) {
  const task = await findTask(db, taskId);
  if (!task?.dialect || task.callbackUrl === null || isFinal(task)) return;
  const [secrets, nowSeconds] = await Promise.all([
    webhookSecrets(db, task.accountId),
    databaseSeconds(db),
  ]);
  const body = JSON.stringify(callbackBody(task, resultUrl));
  const delivery = { id: `${taskId}_${task.status}`, url: task.callbackUrl, body };
  await sendWebhook(egress.post, { delivery, secrets, nowSeconds });
}
