/**
 * Fake Stripe: the part of its API that the service uses. It opens Checkout Sessions, keeps
 * idempotency keys, and signs events as Stripe does.
 */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Stripe } from 'stripe';
import type { StripeSettings } from '../../server/top-ups/settings.ts';
import { readBody, startLocalServer } from './local-server.ts';

export type FakeCheckoutSession = {
  readonly id: string;
  readonly payment_intent: string;
  readonly url: string;
  /** The form fields of the request, such as `line_items[0][quantity]`. */
  readonly params: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
};

/** `lose`: the session is opened, and the connection breaks before the response. */
type StripeBehavior = 'well' | 'refuse' | 'lose' | 'away';

export type SignedStripeEvent = { readonly body: string; readonly headers: Record<string, string> };

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>;

type EventChanges = {
  readonly id?: string;
  readonly type?: string;
  readonly livemode?: boolean;
  readonly object?: Readonly<Record<string, unknown>>;
};

const webhookSecret = 'whsec_that_only_tests_know';
export const packs = [
  { id: 'small', credits: 1000, price: 1900 },
  { id: 'large', credits: 12_000, price: 19_900 },
];

export async function startFakeStripe() {
  const sessions = new Map<string, FakeCheckoutSession>();
  const requests: { authorization: string; key: string }[] = [];
  let behavior: StripeBehavior = 'well';
  const { origin, close } = await startLocalServer(async (request, response) => {
    const form = new URLSearchParams((await readBody(request)).toString());
    const params = Object.fromEntries(form);
    const { authorization = '', 'idempotency-key': key = '' } = request.headers;
    requests.push({ authorization, key: String(key) });
    if (behavior === 'away') return void request.socket.destroy();
    if (behavior === 'refuse') return send(response, 401, { error: errorBody });
    if (request.url !== '/v1/checkout/sessions') return send(response, 404, { error: errorBody });
    const session = sessions.get(String(key)) ?? newSession(params);
    sessions.set(String(key), session);
    if (behavior === 'lose') return void request.socket.destroy();
    const { params: _, ...shown } = session;
    send(response, 200, { object: 'checkout.session', ...shown });
  });
  process.env.TEST_STRIPE_KEY = 'sk_test_double';
  process.env.TEST_STRIPE_WEBHOOK_SECRET = webhookSecret;
  const { webhooks } = new Stripe('sk_test_double');
  const sign = (
    event: object,
    { secret = webhookSecret, ageSeconds = 0 } = {},
  ): SignedStripeEvent => {
    const payload = JSON.stringify(event);
    const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
    const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp });
    return { body: payload, headers: { 'stripe-signature': signature } };
  };
  return {
    settings: {
      secretKey: { env: 'TEST_STRIPE_KEY' },
      webhookSecret: { env: 'TEST_STRIPE_WEBHOOK_SECRET' },
      currency: 'usd',
      packs,
      address: { protocol: 'http', host: '127.0.0.1', port: Number(new URL(origin).port) },
    } satisfies StripeSettings as StripeSettings,
    get sessions(): readonly FakeCheckoutSession[] {
      return [...sessions.values()];
    },
    requests,
    setBehavior: (next: StripeBehavior): void => {
      behavior = next;
    },
    sign,
    paid: (session: FakeCheckoutSession, changes: EventChanges = {}) =>
      sign(paidEvent(session, changes)),
    close,
  };
}

const errorBody = { type: 'invalid_request_error', message: 'No.', code: 'no' };
const randomHex = () => randomBytes(8).toString('hex');

function newSession(params: Record<string, string>): FakeCheckoutSession {
  const id = `cs_test_${randomHex()}`;
  const metadata = Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      return key ? [[key, value]] : [];
    }),
  );
  const url = `https://checkout.stripe.com/c/pay/${id}`;
  return { id, payment_intent: `pi_${randomHex()}`, url, params, metadata };
}

function paidEvent({ params, ...session }: FakeCheckoutSession, changes: EventChanges) {
  return {
    id: changes.id ?? `evt_${randomHex()}`,
    object: 'event',
    livemode: changes.livemode ?? false,
    type: changes.type ?? 'checkout.session.completed',
    data: {
      object: {
        object: 'checkout.session',
        ...session,
        client_reference_id: params.client_reference_id,
        payment_status: 'paid',
        amount_total: Number(params['line_items[0][price_data][unit_amount]']),
        currency: params['line_items[0][price_data][currency]'],
        ...changes.object,
      },
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' });
  response.end(JSON.stringify(body));
}
