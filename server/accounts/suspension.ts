/**
 * Suspension of accounts: keys are rejected, members read, and nothing new is accepted. Running
 * tasks end and are settled as usual. Resuming restores everything.
 */

import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { type Account, getAccount, requireAccount, updateAccount } from './account.ts';
import type { InactiveAccount } from './keys/api-key.ts';

/**
 * Suspends an account; every process rejects its keys within 5 s. Suspending again keeps the first
 * time, and replaces the note if there is one. The caller has locked the balances of the account,
 * so that each create is either accepted before the suspension or sees it.
 */
export async function suspendAccount(
  tx: Transaction,
  { accountId, note }: { readonly accountId: string; readonly note: string | null },
): Promise<Account> {
  const { closedAt } = await getAccount(tx, accountId);
  if (closedAt) throw invalidRequest('The account is closed for good already.');
  return await updateAccount(tx, accountId, {
    set: `suspended_at = coalesce(suspended_at, now()),
      suspension_note = coalesce($2, suspension_note)`,
    values: [note],
    notifiesKeys: true,
  });
}

/** Without effect if the account is not suspended. */
export async function resumeAccount(tx: Transaction, accountId: string): Promise<Account> {
  const set = 'suspended_at = null, suspension_note = null';
  return await updateAccount(tx, accountId, { set, notifiesKeys: true });
}

/**
 * Throws `forbidden` if the account is suspended: for people and the admin token. With `lock`, in a
 * transaction, a suspension waits until the transaction ends.
 */
export async function requireActiveAccount(
  db: Queryable,
  accountId: string,
  { lock }: { readonly lock: boolean },
): Promise<void> {
  await getAccount(db, accountId);
  const { rows } = await db.query<{ isSuspended: boolean }>(
    `select suspended_at is not null as "isSuspended" from accounts where id = $1
     ${lock ? 'for share' : ''}`,
    [accountId],
  );
  if (!requireAccount(rows[0]).isSuspended) return;
  throw new ApiError(
    'forbidden',
    'This account is suspended and accepts nothing new; ask the administrator of this service ' +
      'to resume it.',
  );
}

const wayOut: Readonly<Record<InactiveAccount, string>> = {
  closed: 'for a key of another one',
  suspended: 'to resume it',
};

export const accountInactive = (reason: InactiveAccount): ApiError =>
  new ApiError(
    'invalid_api_key',
    `The account of this API key is ${reason}; ask the administrator of this service ` +
      `${wayOut[reason]}.`,
  );
