/**
 * Events of Stripe that are repeated, cancelled, lost, late, forged or in another order: a payment
 * is booked once, as the pack was sold, and not as if nothing had been returned.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { TopUpsResponse } from '@vidgen/contract/top-ups.ts';
import { assertApiError } from '../../../proof/kit/assert-api-error.ts';
import {
  type FakeCheckoutSession,
  type FakeStripe,
  packs,
  type SignedStripeEvent,
  startFakeStripe,
} from '../../../proof/kit/fake-stripe.ts';
import { balanceOf } from '../../../proof/kit/journey.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { startService } from '../../../proof/kit/service.ts';

const stripe = await startFakeStripe();
const service = await startService({
  environment: { VIDGEN_ROLE: 'api' },
  file: { topUps: { stripe: stripe.settings } },
});
after(async () => {
  await service.close();
  await stripe.close();
});

async function postEvent({ body, headers }: SignedStripeEvent) {
  const response = await fetch(`${service.url}/stripe/events`, { method: 'POST', headers, body });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const checkout = (accountId: string, pack = 'small') =>
  service.admin.post(`/admin/accounts/${accountId}/checkouts`, { pack });

async function payer(pack = 'small'): Promise<{ id: string; session: FakeCheckoutSession }> {
  const { id } = await service.account();
  const { status, body } = await checkout(id, pack);
  assert.equal(status, 201, JSON.stringify(body));
  const session = stripe.sessions.at(-1)!;
  assert.equal(body.url, session.url);
  return { id, session };
}
const creditsOf = async (id: string) => (await balanceOf(service, id)).live.available;
const actionsOf = async (subject: string) =>
  (await service.auditLog(subject)).filter(({ action }) => action.startsWith('payment.'));

describe('a checkout', () => {
  test('lists the packs with their price, in the smallest unit', async () => {
    const { id } = await service.account();
    const { body } = await service.admin.get(`/admin/accounts/${id}/top-ups`);
    assert.deepEqual(
      TopUpsResponse.parse(body).packs,
      packs.map((pack) => ({ ...pack, currency: 'usd' })),
    );
  });

  test('sends Stripe the pack, the account, the price and the return URLs', async () => {
    const { id, session } = await payer('large');
    const { params: parameters, metadata } = session;
    assert.equal(parameters.mode, 'payment');
    assert.equal(parameters['line_items[0][price_data][unit_amount]'], '19900');
    assert.equal(parameters['line_items[0][price_data][currency]'], 'usd');
    assert.equal(parameters['line_items[0][price_data][product_data][name]'], '12,000 credits');
    const back = `${service.url}/dashboard/accounts/${id}/credits?checkout=`;
    assert.deepEqual(
      [parameters.success_url, parameters.cancel_url],
      [`${back}paid`, `${back}cancelled`],
    );
    const { checkout: own, ...rest } = metadata;
    assert.deepEqual(rest, { account: id, pack: 'large', credits: '12000', mode: 'live' });
    assert.equal(parameters.client_reference_id, own);
    const { authorization, key } = stripe.requests.at(-1)!;
    assert.deepEqual([authorization, key], ['Bearer sk_test_double', own]);
  });

  test('returns 400 for an unknown pack or a closed account', async () => {
    const { id } = await service.account();
    assertApiError(
      await checkout(id, 'medium'),
      'invalid_request',
      'pack must be one of small, large (got "medium")',
    );
    await service.admin.post(`/admin/accounts/${id}/close`);
    assertApiError(await checkout(id), 'invalid_request');
  });

  test('returns 500 with a message when Stripe fails, and nothing is paid', async () => {
    const { id } = await service.account();
    for (const failureMode of ['refuse', 'away'] as const) {
      stripe.setBehavior(failureMode);
      assertApiError(
        await checkout(id),
        'internal_error',
        /^The payment page could not be opened, and nothing was charged/,
      );
    }
    stripe.setBehavior('well');
    assert.equal(await creditsOf(id), 0);
  });

  test('retries a lost response under the same idempotency key: one page', async () => {
    const { id } = await service.account();
    const before = stripe.sessions.length;
    const requestsBefore = stripe.requests.length;
    stripe.setBehavior('lose');
    const pending = checkout(id);
    while (stripe.requests.length === requestsBefore)
      await new Promise((resolve) => setTimeout(resolve, 5));
    stripe.setBehavior('well');
    assert.equal((await pending).status, 201);
    assert.equal(stripe.sessions.length, before + 1);
    const keys = stripe.requests.slice(requestsBefore).map(({ key }) => key);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  });
});

describe('a payment', () => {
  test('is booked as live credits, with the session as reference, and logged', async () => {
    const { id, session } = await payer();
    const { status, body } = await postEvent(stripe.paid(session));
    assert.deepEqual([status, body], [200, { received: true }]);
    assert.equal(await creditsOf(id), 1000);
    const { body: ledger } = await service.admin.get(`/admin/accounts/${id}/ledger`);
    const [entry] = ledger.items as { reference: string; note: string; mode: string }[];
    assert.deepEqual(
      [entry!.reference, entry!.note, entry!.mode],
      [`stripe:${session.id}`, 'Paid by Stripe: small', 'live'],
    );
    const [action] = await actionsOf(id);
    assert.deepEqual([action!.action, action!.actor], ['payment.booked', 'stripe']);
    await service.assertInvariants();
  });

  test('is booked once when repeated, concurrently or by another event', async () => {
    const { id, session } = await payer();
    const again = stripe.paid(session, { id: 'evt_repeated' });
    const events = [
      again,
      again,
      again,
      stripe.paid(session),
      stripe.paid(session, { type: 'checkout.session.async_payment_succeeded' }),
    ];
    const responses = await Promise.all(events.map(postEvent));
    assert.deepEqual(pluck(responses, 'status'), [200, 200, 200, 200, 200]);
    assert.equal((await postEvent(again)).status, 200);
    assert.equal(await creditsOf(id), 1000);
    assert.equal((await actionsOf(id)).length, 1);
    await service.assertInvariants();
  });

  test('that takes days is booked when it arrives, not before', async () => {
    const { id, session } = await payer();
    await postEvent(stripe.paid(session, { object: { payment_status: 'unpaid' } }));
    assert.equal(await creditsOf(id), 0);
    await postEvent(stripe.paid(session, { type: 'checkout.session.async_payment_succeeded' }));
    assert.equal(await creditsOf(id), 1000);
  });

  test('that is cancelled, failed or expired books nothing', async () => {
    const { id, session } = await payer();
    const unpaid = { payment_status: 'unpaid' };
    for (const type of ['checkout.session.expired', 'checkout.session.async_payment_failed']) {
      assert.equal((await postEvent(stripe.paid(session, { type, object: unpaid }))).status, 200);
    }
    const free = { payment_status: 'no_payment_required' };
    assert.equal((await postEvent(stripe.paid(session, { object: free }))).status, 200);
    assert.equal(await creditsOf(id), 0);
  });

  test('is booked even if its event arrives before Stripe’s response', async () => {
    const { id, session } = await payer();
    await service.db.query('update checkouts set session_id = null where id = $1', [
      session.metadata.checkout,
    ]);
    await postEvent(stripe.paid(session));
    assert.equal(await creditsOf(id), 1000);
  });

  test('is booked as it was sold, even after the pack has changed or is gone', async () => {
    const first = await payer('small');
    const second = await payer('large');
    const before = packs.splice(0, 2, { id: 'small', credits: 1, price: 99_000 });
    try {
      await postEvent(stripe.paid(first.session));
      await postEvent(stripe.paid(second.session));
      assert.deepEqual([await creditsOf(first.id), await creditsOf(second.id)], [1000, 12_000]);
    } finally {
      packs.splice(0, 1, ...before);
    }
  });

  test('gets no 2xx while the database is down, so that Stripe sends it again', async () => {
    const { id, session } = await payer();
    const { db } = service.parts.lifecycle;
    const transaction = db.transaction;
    Object.assign(db, { transaction: () => Promise.reject(new Error('away')) });
    assert.equal((await postEvent(stripe.paid(session))).status, 500);
    Object.assign(db, { transaction });
    assert.equal((await postEvent(stripe.paid(session))).status, 200);
    assert.equal(await creditsOf(id), 1000);
  });

  test('to an account closed meanwhile is recorded for a person', async () => {
    const { id, session } = await payer();
    await service.admin.post(`/admin/accounts/${id}/close`);
    assert.equal((await postEvent(stripe.paid(session))).status, 200);
    assert.equal((await postEvent(stripe.paid(session))).status, 200);
    assert.equal(await creditsOf(id), 0);
    assert.deepEqual(pluck(await actionsOf(id), 'action'), ['payment.unbooked']);
    await service.assertInvariants();
  });
});

describe('a forged or foreign event', () => {
  test('unsigned, wrongly signed, changed or too old: returns 400 and books nothing', async () => {
    const { id, session } = await payer();
    const good = stripe.paid(session);
    const event = JSON.parse(good.body);
    const bad: SignedStripeEvent[] = [
      { body: good.body, headers: {} },
      { body: good.body, headers: { 'stripe-signature': 't=1,v1=00' } },
      { body: good.body.replace('1900', '1901'), headers: good.headers },
      stripe.sign(event, { secret: 'whsec_of_somebody_else' }),
      stripe.sign(event, { ageSeconds: 301 }),
      { body: '', headers: {} },
      { body: 'not json', headers: good.headers },
    ];
    for (const one of bad) {
      assertApiError(
        await postEvent(one),
        'invalid_request',
        /^Invalid or expired Stripe signature/,
      );
    }
    assert.equal(await creditsOf(id), 0);
  });

  const lies: [string, Parameters<FakeStripe['paid']>[1], RegExp][] = [
    ['less money than the pack costs', { object: { amount_total: 1 } }, /^paid 1, not 1900$/],
    ['another currency', { object: { currency: 'jpy' } }, /^paid in jpy$/],
    ['a session that we did not open', { object: { id: 'cs_test_other' } }, /^another session$/],
  ];
  for (const [what, changes, fault] of lies) {
    test(`signed, but with ${what}: 200, not booked, recorded once`, async () => {
      const { id, session } = await payer();
      const event = stripe.paid(session, { ...changes, id: `evt_${what.length}` });
      assert.equal((await postEvent(event)).status, 200);
      assert.equal((await postEvent(event)).status, 200);
      assert.equal(await creditsOf(id), 0);
      const actions = await actionsOf(id);
      assert.deepEqual(pluck(actions, 'action'), ['payment.refused']);
      assert.match(String(actions[0]!.detail.fault), fault);
      // The real payment is still booked.
      await postEvent(stripe.paid(session));
      assert.equal(await creditsOf(id), 1000);
    });
  }

  test('metadata with another account or more credits books nothing', async () => {
    const [{ id, session }, other] = [await payer(), await service.account()];
    for (const change of [{ account: other.id }, { credits: '999999' }]) {
      const metadata = { ...session.metadata, ...change };
      await postEvent(stripe.paid(session, { object: { metadata } }));
    }
    assert.deepEqual([await creditsOf(id), await creditsOf(other.id)], [0, 0]);
  });

  test('a payment in test mode books nothing under a live key', async () => {
    const { id, session } = await payer();
    process.env.TEST_STRIPE_KEY = 'sk_live_double';
    try {
      await postEvent(stripe.paid(session));
      assert.equal(await creditsOf(id), 0);
      await postEvent(stripe.paid(session, { livemode: true }));
      assert.equal(await creditsOf(id), 1000);
    } finally {
      process.env.TEST_STRIPE_KEY = 'sk_test_double';
    }
  });

  test('other products and unused event types: returns 200 and ignores them', async () => {
    const { session } = await payer();
    const foreign = stripe.paid(session, { object: { metadata: {} } });
    const unknown = { checkout: 'checkout_of_another_installation' };
    for (const event of [
      foreign,
      stripe.paid(session, { object: { metadata: unknown } }),
      stripe.sign({ id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: {} } }),
    ]) {
      assert.equal((await postEvent(event)).status, 200);
    }
    await service.assertInvariants();
  });
});

/** Refunds and disputes, which Stripe may report before their payment. */
describe('a refund or dispute', () => {
  async function sent(event: SignedStripeEvent): Promise<void> {
    assert.equal((await postEvent(event)).status, 200);
  }
  function returned({ payment_intent }: FakeCheckoutSession, type: string, object: object = {}) {
    const data = { object: { payment_intent, ...object } };
    return stripe.sign({ id: `evt_${type}_${payment_intent}`, object: 'event', type, data });
  }

  const returnsOf = async (id: string) =>
    (await actionsOf(id)).map(({ action, detail }) => [
      action,
      detail.type ?? detail.returned ?? null,
    ]);

  for (const type of ['charge.refunded', 'charge.dispute.created']) {
    test(`${type} before the payment: neither is booked, both are recorded once`, async () => {
      const { id, session } = await payer();
      await sent(returned(session, type));
      await sent(returned(session, type));
      await sent(stripe.paid(session));
      await sent(stripe.paid(session));
      await sent(returned(session, type));
      assert.equal(await creditsOf(id), 0);
      assert.deepEqual(await returnsOf(id), [
        ['payment.unbooked', [type]],
        ['payment.returned', type],
      ]);
    });
  }

  test('a refund that names its checkout is in the audit log before the payment', async () => {
    const { id, session } = await payer();
    await sent(returned(session, 'charge.refunded', { metadata: session.metadata }));
    assert.deepEqual(await returnsOf(id), [['payment.returned', 'charge.refunded']]);
    await sent(stripe.paid(session));
    assert.equal(await creditsOf(id), 0);
    assert.equal((await actionsOf(id)).length, 2);
  });

  test('payment and refund at once: never booked without a record of the refund', async () => {
    for (let round = 0; round < 8; round++) {
      const { id, session } = await payer();
      const { metadata } = round % 2 === 0 ? session : { metadata: {} };
      const refund = returned(session, 'charge.refunded', { metadata });
      await Promise.all([stripe.paid(session), refund, stripe.paid(session)].map(sent));
      const actions = pluck(await actionsOf(id), 'action').toSorted();
      const isBooked = (await creditsOf(id)) > 0;
      const outcome = isBooked ? 'payment.booked' : 'payment.unbooked';
      assert.deepEqual(actions, [outcome, 'payment.returned'].toSorted());
    }
  });

  test('a refund of another payment does not hold up this one', async () => {
    const [{ session: other }, { id, session }] = [await payer(), await payer()];
    await sent(returned({ ...other, payment_intent: 'pi_of_another_product' }, 'charge.refunded'));
    await sent(stripe.paid(session));
    assert.equal(await creditsOf(id), 1000);
  });

  test('after the payment is recorded once and books nothing', async () => {
    const { id, session } = await payer();
    await sent(stripe.paid(session));
    for (const type of ['charge.refunded', 'charge.dispute.created']) {
      await sent(returned(session, type));
      await sent(returned(session, type));
    }
    assert.equal(await creditsOf(id), 1000);
    assert.deepEqual(await returnsOf(id), [
      ['payment.returned', 'charge.dispute.created'],
      ['payment.returned', 'charge.refunded'],
      ['payment.booked', null],
    ]);
    await service.assertInvariants();
  });
});
