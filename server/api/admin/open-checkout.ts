/**
 * Opens a Stripe Checkout for a pack and returns its URL. The credits are booked by
 * `callbacks/stripe-events.ts` when Stripe reports the payment.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { CheckoutRequest, CheckoutResponse } from '@vidgen/contract/top-ups.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { openCheckout as openCheckoutRow, setCheckoutSession } from '../../top-ups/checkouts.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { getOpenAccount } from './account-response.ts';

export const openCheckout = endpoint({
  parsesItself: true,
  operationId: 'openCheckout',
  method: 'POST',
  path: '/admin/accounts/:id/checkouts',
  summary: 'Open a checkout',
  description:
    'Returns a URL at Stripe. The credits are added when Stripe confirms the payment: at once ' +
    'for most cards, days later for some payment methods.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  body: CheckoutRequest,
  requestExamples: { small: ['One pack', { pack: 'small' }] },
  responses: {
    201: {
      description: 'Where to pay.',
      schema: CheckoutResponse,
      examples: {
        opened: ['Opened', { url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3' }],
      },
    },
  },
  errors: { invalid_request: 'pack must be one of small, large (got "medium")' },
  async handler(
    { lifecycle: { db, log }, stripe, publicUrl },
    { params, body, actor, transaction },
  ) {
    const { id: accountId } = await getOpenAccount(db, params.id!);
    const { pack: packId } = parseBody(CheckoutRequest, body);
    if (!stripe) {
      throw new ApiError(
        'invalid_request',
        'Payments aren’t enabled on this server; ask for a redemption code.',
      );
    }
    const { currency, packs } = stripe;
    const pack = packs.find(({ id }) => id === packId);
    if (!pack) {
      const packIds = packs.map(({ id }) => id).join(', ');
      throw new ApiError(
        'invalid_request',
        `pack must be one of ${packIds} (got ${formatValue(packId)})`,
      );
    }
    const checkout = await transaction(async (tx) => {
      const row = await openCheckoutRow(tx, { accountId, pack, currency, createdBy: actor });
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
    await db.transaction((tx) => setCheckoutSession(tx, { checkoutId: checkout.id, sessionId }));
    return { status: 201, body: { url } };
  },
});
