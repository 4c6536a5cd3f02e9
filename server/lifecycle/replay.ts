/** Replays deliveries with all their retries, with the same IDs and bodies. */
import { recordAudit } from '../accounts/audit-log.ts';
import type { Database } from '../database/database.ts';
import { deleteDeliveryJob, enqueue } from '../queue/enqueue.ts';
import { type Delivery, startReplay, startReplays } from '../webhooks/delivery.ts';
import { notifyJob } from './follow-ups.ts';

/** `transaction` opens the caller's transaction, which judges the caller's right. */
export async function replay(
  transaction: Database['transaction'],
  { deliveryId, actor }: { deliveryId: string; actor: string },
): Promise<Delivery> {
  return await transaction(async (tx) => {
    const delivery = await startReplay(tx, deliveryId);
    // The new round begins now and replaces a retry that is still scheduled.
    await deleteDeliveryJob(tx, deliveryId);
    await enqueue(tx, [notifyJob(delivery)]);
    await recordAudit(tx, { actor, action: 'delivery.replay', subject: deliveryId });
    return delivery;
  });
}

/**
 * Replays all exhausted deliveries and returns their number. Pending deliveries are not changed.
 */
export async function replayFailed(
  transaction: Database['transaction'],
  { accountId, since, actor }: { accountId: string; since: Date; actor: string },
): Promise<number> {
  return await transaction(async (tx) => {
    const deliveries = await startReplays(tx, { accountId, since });
    // An exhausted delivery has no job that would have to be deleted.
    await enqueue(tx, deliveries.map(notifyJob));
    const detail = { since, replayed: deliveries.length };
    await recordAudit(tx, { actor, action: 'deliveries.replay', subject: accountId, detail });
    return deliveries.length;
  });
}
