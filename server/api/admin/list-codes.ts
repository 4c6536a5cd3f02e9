/** Lists the redemption codes, newest first, without the codes themselves. */
import { ListCodesQuery, ListCodesResponse } from '@vidgen/contract/top-ups.ts';
import { listCodes as listCodeRows } from '../../top-ups/codes.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { accountId, createdAt, pageOf } from '../http/samples.ts';
import { codeView } from './code-views.ts';
import { redemptionCode } from './samples.ts';

const redeemed = { status: 'redeemed', redeemed_at: createdAt + 3600, account_id: accountId };

export const listCodes = endpoint({
  operationId: 'listRedemptionCodes',
  method: 'GET',
  path: '/admin/redemption-codes',
  summary: 'Redemption codes',
  description: 'Newest first, without the codes themselves.',
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
    const page = await listCodeRows(lifecycle.db, parseQuery(ListCodesQuery, query));
    return { body: { items: page.items.map(codeView), next_cursor: page.nextCursor } };
  },
});
