/**
 * `POST /stripe/events`: what Stripe tells about payments. The bytes must be signed, and 2xx is
 * said only after the commit: until then Stripe tells it again. A payment is booked once for its
 * Checkout Session, however many events speak of it, and only as what was for sale.
 */
import { recordAction } from '../accounts/operator-actions.ts';
import type { Transaction } from '../database/database.ts';
import { openBooks } from '../ledger/books.ts';
import type { Lifecycle } from '../lifecycle/context.ts';
import { Refusal } from '../refusal.ts';
import {
  type Checkout,
  lockCheckout,
  lockCheckoutOfPayment,
  noteEvent,
  settleCheckout,
} from '../top-ups/checkouts.ts';
import type { PaidSession, PaymentEvent } from '../top-ups/stripe.ts';
import { noSuchPath } from './answer.ts';
import type { Answer, Asked, Service } from './service.ts';

const actor = 'stripe';

export async function postStripeEvent(
  { lifecycle, stripe }: Service,
  { headers, body }: Asked,
): Promise<Answer> {
  if (!stripe) throw noSuchPath();
  const signature = String(headers['stripe-signature'] ?? '');
  const event = await stripe.read({ bytes: body as Buffer, signature });
  if (!event) {
    throw new Refusal(
      'invalid_request',
      'The signature is not Stripe’s, or too old: check the webhook secret and the clock.',
    );
  }
  await heed(lifecycle, event);
  return { body: { received: true } };
}

async function heed({ db, log }: Lifecycle, event: PaymentEvent): Promise<void> {
  const { eventId, type, kind } = event;
  const about = { event: eventId, type };
  if (kind === 'paid') {
    const { session } = event;
    const outcome = await db.transaction((tx) => book(tx, { session, eventId }));
    const isTrouble = outcome !== 'booked' && outcome !== 'again';
    const found = { ...about, session: session.id, outcome };
    if (isTrouble) log.warn(found, 'a payment was not booked');
    else log.info(found, 'a payment');
    return;
  }
  if (kind === 'returned') {
    const isOurs = await db.transaction((tx) => noteReturn(tx, event));
    log.warn({ ...about, ours: isOurs }, 'a payment was returned or disputed: nothing is booked');
    return;
  }
  log.info(about, kind === 'unpaid' ? 'a checkout without a payment' : 'an event we do not use');
}

/** What became of it: `booked`, `again`, or in words why not. */
async function book(
  tx: Transaction,
  { session, eventId }: { session: PaidSession; eventId: string },
): Promise<string> {
  const checkout = await lockCheckout(tx, session.metadata.checkout ?? '');
  // Another product of the same Stripe account, or of another installation.
  if (!checkout) return 'not one of our checkouts';
  if (checkout.outcome !== null && checkout.sessionId === session.id) return 'again';
  const { accountId, credits, id: checkoutId } = checkout;
  const fault = faultOf(session, checkout);
  const detail = { checkout: checkoutId, session: session.id, event: eventId };
  if (fault !== null) {
    // The checkout stays as it is: what does not fit it must not end it.
    if (await noteEvent(tx, { checkoutId, eventId })) {
      const told = { ...detail, fault };
      await recordAction(tx, {
        actor,
        action: 'payment.refused',
        subject: accountId,
        detail: told,
      });
    }
    return fault;
  }
  const purse = { accountId, mode: 'live' } as const;
  const books = await openBooks(tx, [purse]);
  const outcome = books.isClosed(purse) ? 'unbooked' : 'booked';
  if (outcome === 'booked') {
    const note = `Paid by Stripe: ${checkout.pack}`;
    books.grant(purse, { amount: credits, note, reference: `stripe:${session.id}` });
    await books.write();
  }
  const { paymentId } = session;
  await settleCheckout(tx, { checkoutId, sessionId: session.id, paymentId, outcome });
  const told = { ...detail, payment: paymentId, credits, price: checkout.price };
  const action = `payment.${outcome}`;
  await recordAction(tx, { actor, action, subject: accountId, detail: told });
  return outcome === 'booked' ? 'booked' : 'the account is closed: give the money back by hand';
}

/** Signed by Stripe is not yet what we sold: everything must be as the checkout says. */
function faultOf(session: PaidSession, checkout: Checkout): string | null {
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
 * Credits may be spent by now, and a balance never goes below zero: a person decides. Here it is
 * only written down, once for each event, beside the account that it concerns.
 */
async function noteReturn(
  tx: Transaction,
  { eventId, type, paymentId }: PaymentEvent & { kind: 'returned' },
): Promise<boolean> {
  const checkout = paymentId === null ? null : await lockCheckoutOfPayment(tx, paymentId);
  if (!checkout) return false;
  const { id: checkoutId, accountId, credits } = checkout;
  if (!(await noteEvent(tx, { checkoutId, eventId }))) return true;
  const detail = { checkout: checkoutId, event: eventId, type, payment: paymentId, credits };
  await recordAction(tx, { actor, action: 'payment.returned', subject: accountId, detail });
  return true;
}
