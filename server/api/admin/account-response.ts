/** Accounts with their balances, and the error of a closed account. */
import type { Account as AccountView } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { type Account, getAccount } from '../../accounts/account.ts';
import type { Queryable } from '../../database/database.ts';
import { type Balance, findBalances } from '../../ledger/ledger.ts';
import { accountView } from './views.ts';

const noCredits: Balance = { available: 0, reserved: 0, spent: 0, suspended: 0 };

export async function accountsWithBalances(
  db: Queryable,
  accounts: readonly Account[],
  { includeSecret = true, isAdmin = false }: { includeSecret?: boolean; isAdmin?: boolean } = {},
): Promise<AccountView[]> {
  const found = await findBalances(
    db,
    accounts.map(({ id }) => id),
  );
  return accounts.map((account) => {
    const balances = found.get(account.id) ?? { live: noCredits, test: noCredits };
    return accountView(account, { balances, includeSecret, isAdmin });
  });
}

export async function accountWithBalances(
  db: Queryable,
  account: Account,
  options: { includeSecret?: boolean; isAdmin?: boolean } = {},
): Promise<AccountView> {
  return (await accountsWithBalances(db, [account], options))[0]!;
}

export const accountClosed = (
  message = 'The account is closed; credits cannot be added.',
): ApiError => new ApiError('invalid_request', message);

export async function getOpenAccount(db: Queryable, id: string): Promise<Account> {
  const account = await getAccount(db, id);
  if (account.closedAt) throw accountClosed();
  return account;
}
