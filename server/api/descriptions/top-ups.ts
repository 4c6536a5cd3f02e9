/** Credits that people add themselves: redemption codes, and payments where they are taken. */
import { AccountParams, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import {
  CheckoutRequest,
  CheckoutResponse,
  CodeParams,
  CreateCodesRequest,
  CreatedCodes,
  ListCodesQuery,
  ListCodesResponse,
  RedeemRequest,
  TopUpsResponse,
} from '@vidgen/contract/top-ups.ts';
import { z } from 'zod';
import { adminErrors, errorExample, errorResponses } from './errors.ts';
import type { RouteDescription } from './route-description.ts';
import { accountId, createdAt, ledgerEntry } from './samples.ts';

const noAccount = errorExample('not_found', 'There is no account with this id.');
const code = {
  id: 'code_01kbwq3n7he9rv5t2m8xz4c6da',
  last_four: 'Q7ZN',
  amount: 500,
  mode: 'live',
  note: 'Workshop in March',
  status: 'open',
  created_at: createdAt,
  created_by: 'admin token',
  expires_at: createdAt + 90 * 86_400,
  redeemed_at: null,
  account_id: null,
} as const;

export const getTopUps: RouteDescription = {
  operationId: 'getTopUps',
  method: 'GET',
  path: '/admin/accounts/:id/top-ups',
  summary: 'What can be bought',
  description: 'Empty where this installation takes no payments. Codes are always taken.',
  tag: 'Admin',
  auth: 'member',
  role: 'viewer',
  resource: 'account',
  params: AccountParams,
  responses: {
    200: {
      description: 'The packs.',
      schema: TopUpsResponse,
      examples: {
        packs: {
          summary: 'One pack',
          value: { packs: [{ id: 'small', credits: 1000, price: 1900, currency: 'usd' }] },
        },
        none: { summary: 'Nothing is for sale', value: { packs: [] } },
      },
    },
    ...adminErrors(['not_found'], { not_found: noAccount }),
  },
};

export const redeemCode: RouteDescription = {
  operationId: 'redeemCode',
  method: 'POST',
  path: '/admin/accounts/:id/redemptions',
  summary: 'Redeem a code',
  description:
    'Its credits are booked once, to the balance that the code names. A mistyped code is told as ' +
    'such; after ten wrong ones in an hour the account has to wait.',
  tag: 'Admin',
  auth: 'member',
  role: 'owner',
  resource: 'account',
  requiresConfirmation: true,
  params: AccountParams,
  body: RedeemRequest,
  requestExamples: {
    code: { summary: 'A code', value: { code: 'VG-7K2M-9XQ4-T0HB-C3WF-Q7ZN' } },
  },
  responses: {
    201: {
      description: 'The entry in the credit history.',
      schema: LedgerEntry,
      examples: {
        booked: {
          summary: 'Booked',
          value: {
            ...ledgerEntry,
            amount: code.amount,
            balance_after: { available: 500, reserved: 0, spent: 0, suspended: 0 },
            note: code.note,
            reference: `code:${code.id}`,
          },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found', 'rate_limited'], {
      invalid_request: errorExample(
        'invalid_request',
        'This code cannot be redeemed: it is not one of ours, was withdrawn, or has been used.',
      ),
      not_found: noAccount,
    }),
  },
};

export const openCheckout: RouteDescription = {
  operationId: 'openCheckout',
  method: 'POST',
  path: '/admin/accounts/:id/checkouts',
  summary: 'Go and pay for a pack',
  description:
    'Answers with an address at Stripe. The credits are booked when Stripe says that the payment ' +
    'has arrived: for most cards at once, for some ways of paying days later.',
  tag: 'Admin',
  auth: 'member',
  role: 'owner',
  resource: 'account',
  requiresConfirmation: true,
  params: AccountParams,
  body: CheckoutRequest,
  requestExamples: { small: { summary: 'One pack', value: { pack: 'small' } } },
  responses: {
    201: {
      description: 'Where to pay.',
      schema: CheckoutResponse,
      examples: {
        opened: {
          summary: 'Opened',
          value: { url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3' },
        },
      },
    },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: errorExample(
        'invalid_request',
        'pack must be one of small, large (got "medium")',
      ),
      not_found: noAccount,
    }),
  },
};

export const createCodes: RouteDescription = {
  operationId: 'createRedemptionCodes',
  method: 'POST',
  path: '/admin/redemption-codes',
  summary: 'Make redemption codes',
  description: 'Up to 1,000 alike. The codes are shown this once; only a digest is kept.',
  tag: 'Admin',
  auth: 'admin',
  requiresConfirmation: true,
  body: CreateCodesRequest,
  requestExamples: {
    workshop: {
      summary: 'Thirty codes for a workshop',
      value: { amount: 500, mode: 'live', count: 30, note: 'Workshop in March' },
    },
  },
  responses: {
    201: {
      description: 'The codes.',
      schema: CreatedCodes,
      examples: {
        made: {
          summary: 'One of them',
          value: { items: [{ ...code, code: 'VG-7K2M-9XQ4-T0HB-C3WF-Q7ZN' }] },
        },
      },
    },
    ...adminErrors(['invalid_request'], {
      invalid_request: errorExample('invalid_request', 'count must be at most 1000 (got 2000)'),
    }),
  },
};

export const listCodes: RouteDescription = {
  operationId: 'listRedemptionCodes',
  method: 'GET',
  path: '/admin/redemption-codes',
  summary: 'Redemption codes',
  description: 'Newest first, without the codes themselves.',
  tag: 'Admin',
  auth: 'admin',
  query: ListCodesQuery,
  responses: {
    200: {
      description: 'A page of them.',
      schema: ListCodesResponse,
      examples: {
        page: {
          summary: 'A redeemed one',
          value: {
            items: [
              {
                ...code,
                status: 'redeemed',
                redeemed_at: createdAt + 3600,
                account_id: accountId,
              },
            ],
            next_cursor: null,
          },
        },
      },
    },
    ...adminErrors(['invalid_request']),
  },
};

export const revokeCode: RouteDescription = {
  operationId: 'revokeRedemptionCode',
  method: 'DELETE',
  path: '/admin/redemption-codes/:id',
  summary: 'Withdraw a redemption code',
  description: 'Nobody can redeem it any more. What was redeemed stays so.',
  tag: 'Admin',
  auth: 'admin',
  requiresConfirmation: true,
  params: CodeParams,
  responses: {
    204: { description: 'Withdrawn.' },
    ...adminErrors(['invalid_request', 'not_found'], {
      invalid_request: errorExample(
        'invalid_request',
        'The code was redeemed: it cannot be revoked any more.',
      ),
      not_found: errorExample('not_found', 'There is no redemption code with this id.'),
    }),
  },
};

export const stripeEvents: RouteDescription = {
  operationId: 'stripeEvents',
  method: 'POST',
  path: '/stripe/events',
  summary: 'Stripe tells about a payment',
  description: 'Given to Stripe, not to clients. The body is judged by its signature.',
  tag: 'Service',
  auth: 'none',
  hidden: true,
  responses: {
    200: { description: 'Heard and booked.', schema: z.object({ received: z.literal(true) }) },
    ...errorResponses(['invalid_request', 'not_found']),
  },
};
