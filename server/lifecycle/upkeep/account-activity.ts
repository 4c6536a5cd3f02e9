/** Copies balances and newest tasks for the sorted list of accounts, in slices. */
import { lockActivityPosition, recordActivity } from '../../accounts/search-accounts.ts';
import type { Transaction } from '../../database/database.ts';
import { findChangedAccounts } from '../../ledger/changed-accounts.ts';
import { findBalances } from '../../ledger/ledger.ts';
import { findLastTaskIds } from '../../tasks/last-tasks.ts';

/** Returns whether there is more to copy. One process copies at a time. */
export async function copyAccountActivity(tx: Transaction): Promise<boolean> {
  const position = await lockActivityPosition(tx);
  if (position === null) return false;
  // Every task reserves credits, so an account with a new task has a new entry.
  const changed = await findChangedAccounts(tx, { position });
  const balances = await findBalances(tx, changed.accountIds);
  const lastTaskIds = await findLastTaskIds(tx, changed.accountIds);
  const activities = changed.accountIds.map((accountId) => ({
    accountId,
    available: balances.get(accountId)?.live.available ?? 0,
    lastTaskId: lastTaskIds.get(accountId) ?? '',
  }));
  await recordActivity(tx, { activities, position: changed.position });
  return changed.hasMore;
}
