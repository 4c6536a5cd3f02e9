/**
 * Sets the spending cap of a key. What the key has used in the period so far counts: creates and
 * settlements wait for the lock of the balance meanwhile, so that none is missed or counted twice.
 */
import type { ApiKey } from '../../accounts/keys/api-key.ts';
import {
  addKeySpending,
  findKeySpending,
  type KeySpending,
  type SpendingCap,
  setSpendingCap as setCap,
} from '../../accounts/keys/key-spending.ts';
import type { Transaction } from '../../database/database.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { countKeyCredits } from '../../tasks/key-credits.ts';

/** Returns the cap with its use; null if it was removed. */
export async function setSpendingCap(
  tx: Transaction,
  key: Pick<ApiKey, 'id' | 'accountId' | 'mode' | 'createdAt'>,
  cap: SpendingCap | null,
): Promise<KeySpending | null> {
  const { id: keyId, accountId, mode, createdAt } = key;
  await lockBalances(tx, [{ accountId, mode }]);
  await setCap(tx, keyId, cap);
  const spending = (await findKeySpending(tx, [keyId])).get(keyId);
  if (!spending) return null;
  const { startsOn, period } = spending;
  const since = period === 'total' ? createdAt : new Date(startsOn);
  const credits = await countKeyCredits(tx, { accountId, mode, keyId, since });
  await addKeySpending(tx, [{ keyId, startsOn, credits }]);
  return { ...spending, used: credits };
}
