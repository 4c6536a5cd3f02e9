/**
 * Replays deliveries with all their retries, with the same IDs and bodies. An account may do so a
 * limited number of times per hour, because the receiver may be a third party.
 */
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Database } from '../../database/database.ts';
import { deleteDeliveryJob, enqueue } from '../../queue/enqueue.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { type Delivery, getDelivery, startReplay, startReplays } from '../../webhooks/delivery.ts';
import { notifyJob } from './follow-ups.ts';

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
  { accountId, since, actor }: { accountId: string; since: Date; actor: string },
): Promise<number> {
  return await transaction(async (tx) => {
    await requireQuota(tx, { accountId, ...replayQuota });
    await recordUse(tx, { accountId, ...replayQuota });
    const deliveries = await startReplays(tx, { accountId, since });
    // An exhausted delivery has no job that would have to be deleted.
    await enqueue(tx, deliveries.map(notifyJob));
    const detail = { since, replayed: deliveries.length };
    await recordAudit(tx, { actor, action: 'deliveries.replay', subject: accountId, detail });
    return deliveries.length;
  });
}
