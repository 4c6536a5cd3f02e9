/** What the list of accounts and its export share. */
import type { ListAccountsQuery, ListedAccount } from '@vidgen/contract/admin-accounts.ts';
import {
  type AccountFilter,
  type ListedAccount as ListedAccountRow,
  listAccounts,
} from '../../accounts/search-accounts.ts';
import type { Queryable } from '../../database/database.ts';
import { createdAtOf } from '../../tasks/task-id.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { accountsWithBalances } from './account-response.ts';

export const accountFilterOf = (query: ListAccountsQuery): AccountFilter => ({
  search: query.q,
  sort: query.sort,
  status: query.status,
  availableMax: query.balance_max,
  hasTasks: query.has_tasks && query.has_tasks === 'true',
  cursor: query.cursor,
  limit: query.limit,
});

export async function listAccountViews(
  db: Queryable,
  filter: AccountFilter,
): Promise<{ items: ListedAccount[]; nextCursor: string | null }> {
  const page = await listAccounts(db, filter);
  const views = await accountsWithBalances(db, page.items, { isAdmin: true });
  const items = views.map(({ webhook_secret: _, ...view }, at) => ({
    ...view,
    last_task_at: lastTaskAt(page.items[at]!),
  }));
  return { items, nextCursor: page.nextCursor };
}

const lastTaskAt = ({ lastTaskId }: ListedAccountRow): number | null =>
  lastTaskId === null ? null : unixSeconds(createdAtOf(lastTaskId));
