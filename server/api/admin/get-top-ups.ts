/** Lists the credit packs that can be bought. Empty if the installation takes no payments. */
import { TopUpsResponse } from '@vidgen/contract/top-ups.ts';
import { getAccount } from '../../accounts/account.ts';
import { endpoint } from '../http/endpoint.ts';

const packs = [{ id: 'small', credits: 1000, price: 1900, currency: 'usd' }];

export const getTopUps = endpoint({
  operationId: 'getTopUps',
  method: 'GET',
  path: '/admin/accounts/:id/top-ups',
  summary: 'List credit packs',
  description: 'Empty if this installation takes no payments. Codes can always be redeemed.',
  auth: 'member',
  role: 'viewer',
  responses: {
    200: {
      description: 'The packs.',
      schema: TopUpsResponse,
      examples: {
        packs: ['One pack', { packs }],
        none: ['Nothing is for sale', { packs: [] }],
      },
    },
  },
  async handler({ lifecycle, stripe }, request) {
    await getAccount(lifecycle.db, request.params.id!);
    const currency = stripe?.currency ?? '';
    const offered = (stripe?.packs ?? []).map((pack) => ({ ...pack, currency }));
    return { body: { packs: offered } satisfies TopUpsResponse };
  },
});
