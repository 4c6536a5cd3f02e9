/** Notifies the owners of an account when the spending cap of a key rejects a create. */
import { findKeys } from '../../accounts/keys/api-key.ts';
import type { KeySpending } from '../../accounts/keys/key-spending.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { raiseNotice, resolveUnseen } from '../../messages/notice.ts';

/** A key whose requests have not been rejected for so long is below its cap, or not used. */
const unseenSeconds = 86_400;

type CappedCreate = { readonly accountId: string; readonly spending: KeySpending };

/** One notice for each key and period. Needs no statement if no create was rejected. */
export async function noticeCaps(
  tx: Transaction,
  rejected: readonly CappedCreate[],
): Promise<void> {
  const byKey = new Map(rejected.map((create) => [create.spending.keyId, create]));
  if (byKey.size === 0) return;
  for (const { id, name } of await findKeys(tx, [...byKey.keys()])) {
    const { accountId, spending } = byKey.get(id)!;
    const { cap, period, startsOn } = spending;
    await raiseNotice(tx, {
      kind: 'key_cap_reached',
      accountId,
      subject: `${id} ${startsOn} ${cap}`,
      detail: { key_id: id, key_name: name, cap, period },
    });
  }
}

export const watchCaps = (db: Queryable): Promise<void> =>
  resolveUnseen(db, { kind: 'key_cap_reached', afterSeconds: unseenSeconds });
