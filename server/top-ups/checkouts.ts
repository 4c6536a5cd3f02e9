/**
 * Checkouts: the credit pack a person chose, at the price of that time. Inserted before Stripe is
 * called, so that every payment finds its checkout; settled once.
 */
import type { Transaction } from '../database/database.ts';
import { newId } from './code-format.ts';
import type { Pack } from './settings.ts';

export type Checkout = {
  /**
   * Our ID. Stripe returns it as `client_reference_id`, and it is the idempotency key of the
   * session.
   */
  readonly id: string;
  readonly accountId: string;
  readonly pack: string;
  readonly credits: number;
  /** In the smallest unit of the currency. */
  readonly price: number;
  readonly currency: string;
  /** Stripe's session ID; null until Stripe has responded. */
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

/** Saves the session ID from Stripe's response. A faster payment event may have set it already. */
export async function setCheckoutSession(
  tx: Transaction,
  { checkoutId, sessionId }: { checkoutId: string; sessionId: string },
): Promise<void> {
  await tx.query('update checkouts set session_id = $2 where id = $1 and session_id is null', [
    checkoutId,
    sessionId,
  ]);
}

/**
 * Locks the checkout until the commit, so that two events of one payment run one after the other.
 */
export async function lockCheckout(tx: Transaction, checkoutId: string): Promise<Checkout | null> {
  const { rows } = await tx.query<Checkout>(
    `select ${columns} from checkouts where id = $1 for no key update`,
    [checkoutId],
  );
  return rows[0] ?? null;
}

/** Refunds and disputes name only the payment. */
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

/** Call after `lockCheckout` returned an unsettled checkout. */
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

/** Returns whether the event is new for this checkout; a repeated event is recorded once. */
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

/** Payments are kept, without the person who opened them. */
export async function anonymizeCheckouts(tx: Transaction, accountId: string): Promise<void> {
  await tx.query(`update checkouts set created_by = 'erased' where account_id = $1`, [accountId]);
}
