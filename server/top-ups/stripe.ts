/**
 * The Stripe client: a payment page, and signed events about the payment. The `stripe` package is
 * imported on first use, because most installations never need its 23 MB.
 *
 * Failures of the network or of Stripe are results; only an invalid setting throws.
 */
import type { Stripe } from 'stripe';
import type { Checkout } from './checkouts.ts';
import type { Pack, StripeSettings } from './settings.ts';

/** How far an event's timestamp may differ from now, as Stripe recommends. */
const toleranceSeconds = 300;
const timeoutMs = 10_000;

type CheckoutSessionResult =
  | { readonly outcome: 'opened'; readonly sessionId: string; readonly url: string }
  | { readonly outcome: 'failed'; readonly detail: Readonly<Record<string, unknown>> };

type EventInfo = { readonly eventId: string; readonly type: string };

/** The meaning of a verified event. */
export type PaymentEvent =
  /** The payment succeeded; the Checkout Session says what it was for. */
  | (EventInfo & { readonly kind: 'paid'; readonly session: PaidSession })
  /** Not paid yet, expired or failed: nothing to credit. */
  | (EventInfo & { readonly kind: 'unpaid'; readonly sessionId: string })
  /** A refund or a dispute; `checkoutId` is from the payment's metadata, if the event has it. */
  | (EventInfo & {
      readonly kind: 'returned';
      readonly paymentId: string | null;
      readonly checkoutId: string | null;
    })
  | (EventInfo & { readonly kind: 'other' });

export type PaidSession = {
  readonly id: string;
  /** The payment intent, which refunds and disputes refer to. */
  readonly paymentId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** In the smallest unit of the currency. */
  readonly amount: number | null;
  readonly currency: string | null;
  /** Whether real money moved, and whether our key is a live key. */
  readonly isLive: boolean;
  readonly keyIsLive: boolean;
};

export type StripeClient = {
  readonly packs: readonly Pack[];
  readonly currency: string;
  open(
    checkout: Checkout,
    pages: { success: string; cancel: string },
  ): Promise<CheckoutSessionResult>;
  /** Null if the signature is invalid or too old. */
  read(event: { bytes: Buffer; signature: string }): Promise<PaymentEvent | null>;
};

export function createStripeClient(
  settings: StripeSettings,
  secretOf: (reference: { readonly env: string }) => () => string,
): StripeClient {
  const secretKey = secretOf(settings.secretKey);
  const webhookSecret = secretOf(settings.webhookSecret);
  let connected:
    | { readonly key: string; readonly connecting: ReturnType<typeof connect> }
    | undefined;
  /** Creates a new client when the key in the environment has changed. */
  const connection = async () => {
    const key = secretKey();
    if (connected?.key !== key) connected = { key, connecting: connect(settings, key) };
    return { key, ...(await connected.connecting) };
  };
  return {
    packs: settings.packs,
    currency: settings.currency,
    open: async (checkout, pages) =>
      await createCheckoutSession((await connection()).client, { checkout, pages }),
    async read({ bytes, signature }) {
      // A request without a signature must not load the package.
      if (signature === '') return null;
      const { client, isInvalidSignature, key } = await connection();
      try {
        const secret = webhookSecret();
        const event = client.webhooks.constructEvent(bytes, signature, secret, toleranceSeconds);
        return toPaymentEvent(event, { keyIsLive: /^[rs]k_live_/.test(key) });
      } catch (error) {
        if (isInvalidSignature(error)) return null;
        throw error;
      }
    },
  };
}

async function connect({ address }: StripeSettings, key: string) {
  const { Stripe: StripeSdk } = await import('stripe');
  const client = new StripeSdk(key, {
    timeout: timeoutMs,
    // Retries have the same idempotency key, so a lost response cannot open a second page.
    maxNetworkRetries: 1,
    telemetry: false,
    ...address,
  });
  const { StripeSignatureVerificationError } = StripeSdk.errors;
  const isInvalidSignature = (error: unknown) => error instanceof StripeSignatureVerificationError;
  return { client, isInvalidSignature };
}

async function createCheckoutSession(
  client: Stripe,
  { checkout, pages }: { checkout: Checkout; pages: { success: string; cancel: string } },
): Promise<CheckoutSessionResult> {
  const { id, accountId, pack, credits, price, currency } = checkout;
  const metadata = {
    checkout: id,
    account: accountId,
    pack,
    credits: String(credits),
    mode: 'live',
  };
  try {
    const session = await client.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: id,
        metadata,
        // Also on the payment, where the operator sees it in Stripe's list of payments.
        payment_intent_data: { metadata },
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency,
              unit_amount: price,
              product_data: { name: `${credits.toLocaleString('en')} credits` },
            },
          },
        ],
        success_url: pages.success,
        cancel_url: pages.cancel,
      },
      { idempotencyKey: id },
    );
    if (session.url === null) return { outcome: 'failed', detail: { reason: 'no url' } };
    return { outcome: 'opened', sessionId: session.id, url: session.url };
  } catch (error) {
    // Leaves out Stripe's message, which can quote the request.
    const { type, code, statusCode, requestId } = error as Partial<Stripe.errors.StripeError>;
    if (type === undefined) throw error;
    return { outcome: 'failed', detail: { type, code, statusCode, requestId } };
  }
}

function toPaymentEvent(event: Stripe.Event, { keyIsLive }: { keyIsLive: boolean }): PaymentEvent {
  const info = { eventId: event.id, type: event.type };
  switch (event.type) {
    // A delayed payment first completes as unpaid and succeeds later; either event can be the paid
    // one.
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = event.data.object;
      if (session.payment_status !== 'paid') {
        return { ...info, kind: 'unpaid', sessionId: session.id };
      }
      const paid = {
        id: session.id,
        paymentId: objectId(session.payment_intent),
        metadata: session.metadata ?? {},
        amount: session.amount_total,
        currency: session.currency,
        isLive: event.livemode,
        keyIsLive,
      };
      return { ...info, kind: 'paid', session: paid };
    }
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return { ...info, kind: 'unpaid', sessionId: event.data.object.id };
    case 'charge.refunded':
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
      return {
        ...info,
        kind: 'returned',
        paymentId: objectId(event.data.object.payment_intent),
        checkoutId: event.data.object.metadata?.checkout ?? null,
      };
    default:
      return { ...info, kind: 'other' };
  }
}

const objectId = (reference: string | { readonly id: string } | null): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);
