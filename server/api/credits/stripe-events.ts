/**
 * Receives events of Stripe. The bytes must be signed, and the response is sent after the commit:
 * without a 2xx, Stripe sends the event again. Credits are booked once per Checkout Session,
 * however many events report it, and only if the payment matches the checkout. Events come in any
 * order: a payment that was refunded or disputed before is not booked.
 */
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import { z } from 'zod';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import type { LifecycleContext } from '../../lifecycle/context.ts';
import {
  type Checkout,
  lockCheckout,
  lockCheckoutByPayment,
  recordPaymentEvent,
  settleCheckout,
} from '../../top-ups/checkouts.ts';
import { holdReturn, lockPayment, takeHeldReturns } from '../../top-ups/held-returns.ts';
import type { PaidSession, PaymentEvent } from '../../top-ups/stripe.ts';
import { endpoint } from '../http/endpoint.ts';
import { routeNotFound } from '../http/error-response.ts';

const actor = 'stripe';

export const stripeEvents = endpoint({
  operationId: 'stripeEvents',
  method: 'POST',
  path: '/stripe/events',
  summary: 'Receive an event of Stripe',
  description: 'Given to Stripe, not to clients. The body is judged by its signature.',
  auth: 'none',
  hidden: true,
  rawBody: true,
  responses: {
    200: { description: 'Received and booked.', schema: z.object({ received: z.literal(true) }) },
  },
  errors: { invalid_request: true, not_found: true },
  async handler({ lifecycle, stripe }, { headers, body }) {
    if (!stripe) throw routeNotFound();
    const signature = String(headers['stripe-signature'] ?? '');
    const event = await stripe.read({ bytes: body as Buffer, signature });
    if (!event) {
      throw invalidRequest(
        'Invalid or expired Stripe signature; check the webhook secret and the clock.',
      );
    }
    await handlePaymentEvent(lifecycle, event);
    return { body: { received: true } };
  },
});

async function handlePaymentEvent(
  { db, log, measurements }: LifecycleContext,
  event: PaymentEvent,
): Promise<void> {
  const { eventId, type, kind } = event;
  const eventFields = { event: eventId, type };
  if (kind === 'paid') {
    const { session } = event;
    const { outcome, credits } = await db.transaction((tx) =>
      bookPayment(tx, { session, eventId }),
    );
    if (outcome === 'booked') measurements.countCredits('grant', 'live', credits);
    const isUnexpected = outcome !== 'booked' && outcome !== 'again';
    const logFields = { ...eventFields, session: session.id, outcome };
    if (isUnexpected) log.warn(logFields, 'payment not booked');
    else log.info(logFields, 'payment processed');
    return;
  }
  if (kind === 'returned') {
    const recorded = await db.transaction((tx) => recordReturn(tx, event));
    log.warn({ ...eventFields, recorded }, 'payment returned or disputed, nothing booked');
    return;
  }
  log.info(
    eventFields,
    kind === 'unpaid' ? 'checkout ended without payment' : 'unused Stripe event',
  );
}

/** The outcome is `booked`, `again`, or why nothing was booked. */
async function bookPayment(
  tx: Transaction,
  { session, eventId }: { session: PaidSession; eventId: string },
): Promise<{ readonly outcome: string; readonly credits: number }> {
  const checkout = await lockCheckout(tx, session.metadata.checkout ?? '');
  // Another product of the same Stripe account, or another installation.
  if (!checkout) return { outcome: 'unknown checkout', credits: 0 };
  if (checkout.outcome !== null && checkout.sessionId === session.id) {
    return { outcome: 'again', credits: 0 };
  }
  const { accountId, credits, id: checkoutId } = checkout;
  const { paymentId } = session;
  const mismatch = findMismatch(session, checkout);
  const detail = { checkout: checkoutId, session: session.id, event: eventId };
  if (mismatch !== null) {
    // The checkout stays open: a mismatched payment must not settle it.
    if (await recordPaymentEvent(tx, { checkoutId, eventId })) {
      const auditDetail = { ...detail, fault: mismatch };
      await recordAudit(tx, {
        actor,
        action: 'payment.refused',
        subject: accountId,
        detail: auditDetail,
      });
    }
    return { outcome: mismatch, credits: 0 };
  }
  if (paymentId !== null) await lockPayment(tx, paymentId);
  const returns = paymentId === null ? [] : await takeHeldReturns(tx, paymentId);
  const balanceKey = { accountId, mode: 'live' } as const;
  const ledger = await lockBalances(tx, [balanceKey]);
  const isBookable = returns.length === 0 && !ledger.isClosed(balanceKey);
  const outcome = isBookable ? 'booked' : 'unbooked';
  if (outcome === 'booked') {
    const note = `Paid by Stripe: ${checkout.pack}`;
    ledger.grant(balanceKey, { amount: credits, note, reference: `stripe:${session.id}` });
    await ledger.flush();
  }
  await settleCheckout(tx, { checkoutId, sessionId: session.id, paymentId, outcome });
  for (const { eventId: id, type } of returns) {
    await auditReturn(tx, checkout, { eventId: id, type, paymentId });
  }
  const auditDetail = { ...detail, payment: paymentId, credits, price: checkout.price };
  const returnedBy = returns.length > 0 ? { returned: returns.map(({ type }) => type) } : {};
  await recordAudit(tx, {
    actor,
    action: `payment.${outcome}`,
    subject: accountId,
    detail: { ...auditDetail, ...returnedBy },
  });
  if (returns.length > 0)
    return { outcome: 'returned or disputed before, decide by hand', credits };
  const closed = 'account is closed, refund the payment by hand';
  return { outcome: outcome === 'booked' ? outcome : closed, credits };
}

/** A valid signature is not enough: every field must match the checkout. */
function findMismatch(session: PaidSession, checkout: Checkout): string | null {
  const { metadata } = session;
  if (session.keyIsLive && !session.isLive) return 'a payment in test mode, with a live key';
  if (checkout.sessionId !== null && checkout.sessionId !== session.id) return 'another session';
  if (metadata.account !== checkout.accountId) return 'another account';
  if (metadata.credits !== String(checkout.credits)) return 'other credits';
  if (session.amount !== checkout.price) return `paid ${session.amount}, not ${checkout.price}`;
  if (session.currency !== checkout.currency) return `paid in ${session.currency}`;
  return null;
}

/**
 * Records a refund or dispute in the audit log, once per event. Nothing is booked: the credits may
 * be spent, and a balance never goes below zero, so a person decides. Before its payment, it is
 * held, and the payment is not booked either.
 */
async function recordReturn(
  tx: Transaction,
  { eventId, type, paymentId, checkoutId }: PaymentEvent & { kind: 'returned' },
): Promise<'recorded' | 'held' | 'ignored'> {
  if (paymentId === null) return 'ignored';
  // The checkout before the payment, as when a payment is booked. The other order can deadlock.
  const named = checkoutId === null ? null : await lockCheckout(tx, checkoutId);
  await lockPayment(tx, paymentId);
  const paid = await lockCheckoutByPayment(tx, paymentId);
  if (!paid) await holdReturn(tx, { eventId, type, paymentId });
  const checkout = paid ?? named;
  if (checkout) await auditReturn(tx, checkout, { eventId, type, paymentId });
  return paid ? 'recorded' : 'held';
}

async function auditReturn(
  tx: Transaction,
  { id: checkoutId, accountId, credits }: Checkout,
  { eventId, type, paymentId }: { eventId: string; type: string; paymentId: string | null },
): Promise<void> {
  if (!(await recordPaymentEvent(tx, { checkoutId, eventId }))) return;
  const detail = { checkout: checkoutId, event: eventId, type, payment: paymentId, credits };
  await recordAudit(tx, { actor, action: 'payment.returned', subject: accountId, detail });
}
