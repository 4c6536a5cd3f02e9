/**
 * Rows of checkouts: what somebody went to pay for, at the price of that moment. Written before
 * Stripe is asked, so that a payment always finds what it is for; settled once.
 */
import type { Transaction } from '../database/database.ts';
import { newId } from './id.ts';
import type { Pack } from './settings.ts';

export type Checkout = {
  /** Ours: Stripe gives it back as `client_reference_id`, and repeats nothing under it. */
  readonly id: string;
  readonly accountId: string;
  readonly pack: string;
  readonly credits: number;
  /** In the smallest unit of the currency. */
  readonly price: number;
  readonly currency: string;
  /** Stripe's; null until it has answered. */
  readonly sessionId: string | null;
  readonly outcome: 'booked' | 'unbooked' | null;
};

const columns = `id, account_id as "accountId", pack, credits, price, currency,
  session_id as "sessionId", outcome`;

export async function openCheckout(
  tx: Transaction,
  {
    accountId,
    pack,
    currency,
    createdBy,
  }: { accountId: string; pack: Pack; currency: string; createdBy: string },
): Promise<Checkout> {
  const { rows } = await tx.query<Checkout>(
    `insert into checkouts (id, account_id, pack, credits, price, currency, created_by)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`,
    [newId('checkout'), accountId, pack.id, pack.credits, pack.price, currency, createdBy],
  );
  return rows[0]!;
}

/** What Stripe answered. A payment that was faster than its answer has set it already. */
export async function setCheckoutSession(
  tx: Transaction,
  { checkoutId, sessionId }: { checkoutId: string; sessionId: string },
): Promise<void> {
  await tx.query('update checkouts set session_id = $2 where id = $1 and session_id is null', [
    checkoutId,
    sessionId,
  ]);
}

/** Two events about one payment wait for each other here. */
export async function lockCheckout(tx: Transaction, checkoutId: string): Promise<Checkout | null> {
  const { rows } = await tx.query<Checkout>(
    `select ${columns} from checkouts where id = $1 for no key update`,
    [checkoutId],
  );
  return rows[0] ?? null;
}

/** A refund or a dispute names the payment only. */
export async function lockCheckoutByPayment(
  tx: Transaction,
  paymentId: string,
): Promise<Checkout | null> {
  const { rows } = await tx.query<Checkout>(
    `select ${columns} from checkouts where payment_id = $1 for no key update`,
    [paymentId],
  );
  return rows[0] ?? null;
}

/** After `lockCheckout` said that it is not settled. */
export async function settleCheckout(
  tx: Transaction,
  settlement: {
    checkoutId: string;
    sessionId: string;
    paymentId: string | null;
    outcome: 'booked' | 'unbooked';
  },
): Promise<void> {
  await tx.query(
    `update checkouts set session_id = $2, payment_id = $3, outcome = $4, settled_at = now()
     where id = $1`,
    [settlement.checkoutId, settlement.sessionId, settlement.paymentId, settlement.outcome],
  );
}

/** Whether the event is new to the checkout: what is told twice is noted once. */
export async function recordPaymentEvent(
  tx: Transaction,
  { checkoutId, eventId }: { checkoutId: string; eventId: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update checkouts set noted_events = noted_events || $2::text
     where id = $1 and not ($2::text = any(noted_events))`,
    [checkoutId, eventId],
  );
  return rowCount === 1;
}
