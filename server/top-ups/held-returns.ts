/**
 * Refunds and disputes that arrived before their payment: Stripe does not send events in order.
 * They wait here, so that the payment is not booked as if nothing had been returned.
 */
import type { Queryable, Transaction } from '../database/database.ts';

export type HeldReturn = { readonly eventId: string; readonly type: string };

/** Longer than any payment method takes to confirm a payment. */
const keptDays = 90;

/** Serializes the events of one payment until the commit, also before its checkout is known. */
export async function lockPayment(tx: Transaction, paymentId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('stripe payment ' || $1, 0))`, [
    paymentId,
  ]);
}

/** Call after `lockPayment`. An event that is sent again is held once. */
export async function holdReturn(
  tx: Transaction,
  { eventId, type, paymentId }: HeldReturn & { readonly paymentId: string },
): Promise<void> {
  await tx.query(
    `insert into held_returns (event_id, payment_id, type) values ($1, $2, $3)
     on conflict (event_id) do nothing`,
    [eventId, paymentId, type],
  );
}

/** Call after `lockPayment`. Returns the returns of a payment, and stops holding them. */
export async function takeHeldReturns(tx: Transaction, paymentId: string): Promise<HeldReturn[]> {
  const { rows } = await tx.query<HeldReturn & { receivedAt: Date }>(
    `delete from held_returns where payment_id = $1
     returning event_id as "eventId", type, received_at as "receivedAt"`,
    [paymentId],
  );
  return rows.toSorted((one, other) => Number(one.receivedAt) - Number(other.receivedAt));
}

/** Deletes returns of payments that were never for this installation. */
export async function deleteOldReturns(db: Queryable): Promise<void> {
  await db.query(
    `delete from held_returns where received_at < now() - make_interval(days => ${keptDays})`,
  );
}
