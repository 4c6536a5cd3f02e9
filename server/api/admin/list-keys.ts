/** Lists the API keys of an account with the credits each spent in the last 30 days. */
import { ListKeysQuery, ListKeysResponse } from '@vidgen/contract/admin-accounts.ts';
import { getAccount } from '../../accounts/account.ts';
import { listKeys as listKeyRows } from '../../accounts/keys/api-key.ts';
import { findKeySpending } from '../../accounts/keys/key-spending.ts';
import { nowMs } from '../../process/clock.ts';
import { creditsOfKeys } from '../../tasks/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { apiKey, listDescription } from './samples.ts';
import { keyView } from './views.ts';

export const listKeys = endpoint({
  parsesItself: true,
  operationId: 'listKeys',
  method: 'GET',
  path: '/admin/accounts/:id/keys',
  summary: 'List API keys',
  description: 'Includes revoked and expired keys, without the keys themselves.',
  auth: 'member',
  role: 'viewer',
  query: ListKeysQuery,
  responses: { 200: listDescription(ListKeysResponse, apiKey) },
  async handler({ lifecycle: { db } }, { params, query }) {
    const { id: accountId } = await getAccount(db, params.id!);
    const page = await listKeyRows(db, { accountId, ...parseQuery(ListKeysQuery, query) });
    const since = new Date(nowMs() - 30 * 86_400_000);
    const credits = await creditsOfKeys(db, { accountId, since });
    const spending = await findKeySpending(
      db,
      page.items.map(({ id }) => id),
    );
    const items = page.items.map((key) =>
      keyView(key, {
        credits30Days: credits.get(key.id) ?? 0,
        spending: spending.get(key.id) ?? null,
      }),
    );
    return { body: { items, next_cursor: page.nextCursor } };
  },
});
