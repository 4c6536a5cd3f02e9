/** Makes the call of a delivery again, with all its retries: same id, same body. */
import { recordAction } from '../accounts/operator-actions.ts';
import { enqueue, removeCallOf } from '../queue/queue.ts';
import { type Delivery, startReplay } from '../webhooks/delivery.ts';
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
