/**
 * Sends the webhook of a final task, or schedules the next attempt. At least once: a worker that
 * crashes between the receiver's response and the commit sends it again with the same ID.
 */
import { webhookSecrets } from '../accounts/account.ts';
import { crashPoint } from '../crash-point.ts';
import { databaseSeconds } from '../database/database-clock.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { finish, reschedule } from '../queue/outcome.ts';
import { getDelivery, recordAttempt } from '../webhooks/delivery.ts';
import { nextRetryDelay } from '../webhooks/schedule.ts';
import { sendWebhook } from '../webhooks/send.ts';
import type { LifecycleContext } from './context.ts';

export async function notify(lifecycle: LifecycleContext, job: Job): Promise<void> {
  crashPoint('notify.claimed');
  const { db, egress, log, settings } = lifecycle;
  const delivery = await getDelivery(db, job.deliveryId!);
  const secrets = await webhookSecrets(db, job.accountId);
  // Receivers reject a webhook that is minutes old, so the timestamp comes from the database's
  // clock, not from this machine's.
  const nowSeconds = await databaseSeconds(db);
  const outcome = await sendWebhook(egress.post, { delivery, secrets, nowSeconds });
  // This process is stopping: the next worker that claims the job sends the webhook.
  if (outcome.error === 'cancelled') throw new LeaseLost(job);
  crashPoint('notify.answered');
  const retryDelaysSeconds = settings.webhookRetryDelaysSeconds;
  const recorded = await db.transaction(async (tx) => {
    const updated = await recordAttempt(tx, {
      delivery,
      outcome,
      retriesMax: retryDelaysSeconds.length,
    });
    const retryDelay =
      updated?.status === 'pending'
        ? nextRetryDelay({
            retryDelaysSeconds,
            attemptsMade: updated.attemptsThisRound,
            random: Math.random,
          })
        : null;
    if (retryDelay === null) await finish(tx, job);
    else await reschedule(tx, job, { kind: 'notify', delaySeconds: retryDelay, retry: true });
    return updated;
  });
  crashPoint('notify.after-commit');
  if (recorded?.status === 'exhausted') {
    log.warn({ deliveryId: delivery.id, taskId: delivery.taskId }, 'webhook retries exhausted');
  }
}
