/** Top-ups: the credit packs on sale, and checkouts at Stripe. */
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { CheckoutRequest, CheckoutResponse, TopUpsResponse } from '@vidgen/contract/top-ups.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import * as checkouts from '../../top-ups/checkouts.ts';
import { getOpenAccount } from '../accounts/account-response.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';

const packs = [{ id: 'small', credits: 1000, price: 1900, currency: 'usd' }];

const getTopUps = endpoint({
  operationId: 'getTopUps',
  method: 'GET',
  path: '/admin/accounts/:id/top-ups',
  summary: 'List credit packs',
  description: 'Empty if this installation takes no payments. Codes can always be redeemed.',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: jsonResponse('The packs.', TopUpsResponse, {
      packs: ['One pack', { packs }],
      none: ['Nothing is for sale', { packs: [] }],
    }),
  },
  async handler({ lifecycle, stripe }, request) {
    await getAccount(lifecycle.db, request.params.id!);
    const currency = stripe?.currency ?? '';
    const offered = (stripe?.packs ?? []).map((pack) => ({ ...pack, currency }));
    return { body: { packs: offered } satisfies TopUpsResponse };
  },
});

/**
 * Opens a Stripe Checkout for a pack and returns its URL. The credits are booked by
 * `stripe-events.ts` when Stripe reports the payment.
 */
const openCheckout = endpoint({
  operationId: 'openCheckout',
  method: 'POST',
  path: '/admin/accounts/:id/checkouts',
  summary: 'Open a checkout',
  description:
    'Returns a URL at Stripe. The credits are added when Stripe confirms the payment: at once ' +
    'for most cards, days later for some payment methods.',
  auth: 'member',
  role: 'owner',
  body: CheckoutRequest,
  requestExamples: { small: ['One pack', { pack: 'small' }] },
  responses: {
    201: jsonResponse('Where to pay.', CheckoutResponse, {
      opened: ['Opened', { url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3' }],
    }),
  },
  errors: { invalid_request: 'pack must be one of small, large (got "medium")' },
  async handler(
    { lifecycle: { db, log }, stripe, publicUrl },
    { params, body, actor, transaction },
  ) {
    const { id: accountId } = await getOpenAccount(db, params.id!, 'credits cannot be added');
    const { pack: packId } = body;
    if (!stripe) {
      throw invalidRequest('Payments aren’t enabled on this server; ask for a redemption code.');
    }
    const { currency, packs } = stripe;
    const pack = packs.find(({ id }) => id === packId);
    if (!pack) {
      const packIds = packs.map(({ id }) => id).join(', ');
      throw invalidRequest(`pack must be one of ${packIds} (got ${formatValue(packId)})`);
    }
    const checkout = await transaction(async (tx) => {
      const row = await checkouts.openCheckout(tx, { accountId, pack, currency, createdBy: actor });
      const detail = { checkout: row.id, pack: pack.id, price: pack.price, currency };
      await recordAudit(tx, { actor, action: 'checkout.open', subject: accountId, detail });
      return row;
    });
    const creditsPageUrl = `${publicUrl()}/dashboard/accounts/${accountId}/credits?checkout=`;
    const returnUrls = { success: `${creditsPageUrl}paid`, cancel: `${creditsPageUrl}cancelled` };
    const opened = await stripe.open(checkout, returnUrls);
    if (opened.outcome === 'failed') {
      log.error({ checkout: checkout.id, ...opened.detail }, 'Stripe checkout failed to open');
      throw new ApiError(
        'internal_error',
        'The payment page could not be opened, and nothing was charged; retry in a minute.',
      );
    }
    const { sessionId, url } = opened;
    await db.transaction((tx) =>
      checkouts.setCheckoutSession(tx, { checkoutId: checkout.id, sessionId }),
    );
    return { status: 201, body: { url } };
  },
});

export const topUpEndpoints = [getTopUps, openCheckout];
