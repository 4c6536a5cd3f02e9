/**
 * Sends the webhook of a final task, or schedules the next attempt. At least once: a worker that
 * crashes between the receiver's response and the commit sends it again with the same ID.
 */
import { nowMs } from '../process/clock.ts';
import { crashPoint } from '../process/crash-point.ts';
import { type Job, LeaseLost } from '../queue/job.ts';
import { sendWebhook } from '../webhooks/send.ts';
import type { LifecycleContext } from './context.ts';
import { noticeFailingEndpoint } from './notices/watch-conditions.ts';

export async function notify(lifecycle: LifecycleContext, job: Job): Promise<void> {
  crashPoint('notify.claimed');
  const { egress, log, measurements, webhooks } = lifecycle;
  const { delivery, secrets } = await webhooks.find(job);
  // Receivers reject a webhook that is minutes old, so the timestamp comes from the database's
  // clock, not from this machine's.
  const { nowSeconds } = delivery;
  const startMs = nowMs();
  const outcome = await sendWebhook(egress.post, { delivery, secrets, nowSeconds });
  // This process is stopping: the next worker that claims the job sends the webhook.
  if (outcome.error === 'cancelled') throw new LeaseLost(job);
  crashPoint('notify.response');
  measurements.countWebhook(outcome);
  lifecycle.traces?.add({
    taskId: delivery.taskId,
    name: 'webhook',
    kind: 'client',
    startMs,
    endMs: nowMs(),
    isError: !outcome.delivered,
    attributes: {
      attempt: job.attempts + 1,
      error: outcome.error,
      'http.response.status_code': outcome.responseStatus,
    },
  });
  const recorded = await webhooks.record({ job, delivery, outcome });
  crashPoint('notify.after-commit');
  if (recorded?.status === 'exhausted') {
    measurements.countExhausted();
    log.warn({ deliveryId: delivery.id, taskId: delivery.taskId }, 'webhook retries exhausted');
    const endpoint = { accountId: job.accountId, url: delivery.url };
    await noticeFailingEndpoint(lifecycle.db, endpoint).catch((error) =>
      log.warn({ error, deliveryId: delivery.id }, 'endpoint could not be examined'),
    );
  }
}
