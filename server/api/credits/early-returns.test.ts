/**
 * Refunds and disputes that Stripe reports before their payment: the payment is not booked as if
 * nothing had been returned, and both are in the audit log.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type FakeCheckoutSession,
  type FakeStripe,
  type SignedStripeEvent,
  startFakeStripe,
} from '../../../proof/kit/fake-stripe.ts';
import { balanceOf } from '../../../proof/kit/journey.ts';
import { startService, type TestService } from '../../../proof/kit/service.ts';

let stripe: FakeStripe;
let service: TestService;
before(async () => {
  stripe = await startFakeStripe();
  const file = { topUps: { stripe: stripe.settings } };
  service = await startService({ environment: { VIDGEN_ROLE: 'api' }, file });
});
after(async () => {
  await service.assertInvariants();
  await service.close();
  await stripe.close();
});

async function post({ body, headers }: SignedStripeEvent): Promise<void> {
  const response = await fetch(`${service.url}/stripe/events`, { method: 'POST', headers, body });
  assert.equal(response.status, 200, await response.text());
}

/** An account with an open checkout. */
async function payer(): Promise<{ id: string; session: FakeCheckoutSession }> {
  const { id } = await service.account();
  const { status } = await service.admin.post(`/admin/accounts/${id}/checkouts`, { pack: 'small' });
  assert.equal(status, 201);
  return { id, session: stripe.sessions.at(-1)! };
}

function returned({ payment_intent }: FakeCheckoutSession, type: string, object: object = {}) {
  const data = { object: { payment_intent, ...object } };
  return stripe.sign({ id: `evt_${type}_${payment_intent}`, object: 'event', type, data });
}

const creditsOf = async (id: string) => (await balanceOf(service, id)).live.available;

async function actionsOf(subject: string) {
  const { body } = await service.admin.get(`/admin/audit-log?subject=${subject}`);
  return (body.items as { action: string; detail: Record<string, unknown> }[])
    .filter(({ action }) => action.startsWith('payment.'))
    .map(({ action, detail }) => [action, detail.type ?? detail.returned ?? null]);
}

for (const type of ['charge.refunded', 'charge.dispute.created']) {
  test(`${type} before the payment: neither is booked, both are recorded once`, async () => {
    const { id, session } = await payer();
    await post(returned(session, type));
    await post(returned(session, type));
    await post(stripe.paid(session));
    await post(stripe.paid(session));
    await post(returned(session, type));
    assert.equal(await creditsOf(id), 0);
    assert.deepEqual(await actionsOf(id), [
      ['payment.unbooked', [type]],
      ['payment.returned', type],
    ]);
  });
}

test('a refund that names its checkout is in the audit log before the payment', async () => {
  const { id, session } = await payer();
  await post(returned(session, 'charge.refunded', { metadata: session.metadata }));
  assert.deepEqual(await actionsOf(id), [['payment.returned', 'charge.refunded']]);
  await post(stripe.paid(session));
  assert.equal(await creditsOf(id), 0);
  assert.equal((await actionsOf(id)).length, 2);
});

test('payment and refund at once: never booked without a record of the refund', async () => {
  for (let round = 0; round < 8; round++) {
    const { id, session } = await payer();
    const { metadata } = round % 2 === 0 ? session : { metadata: {} };
    const refund = returned(session, 'charge.refunded', { metadata });
    await Promise.all([post(stripe.paid(session)), post(refund), post(stripe.paid(session))]);
    const actions = (await actionsOf(id)).map(([action]) => action).toSorted();
    const isBooked = (await creditsOf(id)) > 0;
    const outcome = isBooked ? 'payment.booked' : 'payment.unbooked';
    assert.deepEqual(actions, [outcome, 'payment.returned'].toSorted());
  }
});

test('a refund of another payment does not hold up this one', async () => {
  const [{ session: other }, { id, session }] = [await payer(), await payer()];
  await post(returned({ ...other, payment_intent: 'pi_of_another_product' }, 'charge.refunded'));
  await post(stripe.paid(session));
  assert.equal(await creditsOf(id), 1000);
});
