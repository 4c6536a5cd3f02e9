/** Lists the redemption codes, without the codes themselves: searched, filtered and sorted. */
import { ListCodesQuery, ListCodesResponse } from '@vidgen/contract/top-ups.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { accountId, createdAt, pageOf } from '../http/samples.ts';
import { codeFilterOf, listCodeViews } from './code-views.ts';
import { redemptionCode } from './samples.ts';

const redeemed = { status: 'redeemed', redeemed_at: createdAt + 3600, account_id: accountId };

export const listCodes = endpoint({
  parsesItself: true,
  operationId: 'listRedemptionCodes',
  method: 'GET',
  path: '/admin/redemption-codes',
  summary: 'List redemption codes',
  description: 'Newest first by default, without the codes themselves.',
  auth: 'admin',
  query: ListCodesQuery,
  responses: {
    200: {
      description: 'A page of them.',
      schema: ListCodesResponse,
      examples: { page: ['A redeemed one', pageOf({ ...redemptionCode, ...redeemed })] },
    },
  },
  errors: { invalid_request: true },
  async handler({ lifecycle }, { query }) {
    const filter = codeFilterOf(parseQuery(ListCodesQuery, query));
    const { items, nextCursor } = await listCodeViews(lifecycle.db, filter);
    return { body: { items, next_cursor: nextCursor } };
  },
});
