/** Makes calls of deliveries again, with all their retries: same ids, same bodies. */
import { recordAction } from '../accounts/operator-actions.ts';
import { enqueue, removeCallOf } from '../queue/queue.ts';
import { type Delivery, startReplay, startReplays } from '../webhooks/delivery.ts';
import type { Lifecycle } from './context.ts';

export async function replay(
  { db }: Lifecycle,
  { deliveryId, actor }: { deliveryId: string; actor: string },
): Promise<Delivery> {
  return await db.transaction(async (tx) => {
    const delivery = await startReplay(tx, deliveryId);
    const { accountId, taskId } = delivery;
    // A retry that is still due gives way: the new round begins now.
    await removeCallOf(tx, deliveryId);
    await enqueue(tx, [{ kind: 'notify', accountId, taskId, deliveryId }]);
    await recordAction(tx, { actor, action: 'delivery.replay', subject: deliveryId });
    return delivery;
  });
}

/** All that were given up: how many. Those that are still being tried go on as they are. */
export async function replayFailed(
  { db }: Lifecycle,
  { accountId, since, actor }: { accountId: string; since: Date; actor: string },
): Promise<number> {
  return await db.transaction(async (tx) => {
    const deliveries = await startReplays(tx, { accountId, since });
    // Given up means that no call is due: there is none to remove.
    await enqueue(
      tx,
      deliveries.map(({ id, taskId }) => ({
        kind: 'notify' as const,
        accountId,
        taskId,
        deliveryId: id,
      })),
    );
    const detail = { since, replayed: deliveries.length };
    await recordAction(tx, { actor, action: 'deliveries.replay', subject: accountId, detail });
    return deliveries.length;
  });
}
