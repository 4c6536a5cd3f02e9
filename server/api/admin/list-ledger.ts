/** Lists the ledger entries of an account, newest first. */
import { ListLedgerQuery, ListLedgerResponse } from '@vidgen/contract/admin-accounts.ts';
import { getAccount } from '../../accounts/account.ts';
import { listEntries } from '../../ledger/entries.ts';
import { findPrompts } from '../../tasks/task-list.ts';
import { endpoint } from '../http/endpoint.ts';
import { invalidCursor, parseQuery } from '../http/parse-request.ts';
import { ledgerEntry, listDescription } from './samples.ts';
import { entryView } from './views.ts';

export const listLedger = endpoint({
  parsesItself: true,
  operationId: 'listLedger',
  method: 'GET',
  path: '/admin/accounts/:id/ledger',
  summary: 'List credit history',
  description: 'Each entry is one transfer, with the balances after it.',
  auth: 'member',
  role: 'viewer',
  query: ListLedgerQuery,
  responses: { 200: listDescription(ListLedgerResponse, { ...ledgerEntry, prompt: null }) },
  async handler({ lifecycle: { db } }, request) {
    const { id: accountId } = await getAccount(db, request.params.id!);
    const { cursor, limit, task_id: taskId, ...query } = parseQuery(ListLedgerQuery, request.query);
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidCursor();
    const beforeId = cursor === undefined ? undefined : Number(cursor);
    const filter = { ...query, accountId, taskId, beforeId, limit: limit + 1 };
    const found = await listEntries(db, filter);
    const prompts = await findPrompts(
      db,
      found.flatMap((entry) => entry.taskId ?? []),
    );
    const items = found
      .slice(0, limit)
      .map((entry) => ({ ...entryView(entry), prompt: prompts.get(entry.taskId ?? '') ?? null }));
    return { body: { items, next_cursor: found.length > limit ? items.at(-1)!.id : null } };
  },
});
