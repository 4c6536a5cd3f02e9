/** Books a deduction: never more than is available, and once per `reference`. */
import type { DeductCreditsRequest } from '@vidgen/contract/account-controls.ts';
import type { ApiError } from '@vidgen/contract/api-error.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { getEntry } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { accountClosed } from './account-response.ts';
import { bookOnce } from './book-once.ts';

type Deduction = DeductCreditsRequest & {
  readonly accountId: string;
  /** The error for an amount above what is available. */
  tooMuch(available: number): ApiError;
};

export async function bookDeduction(
  { lifecycle: { db, measurements } }: ApiServices,
  { actor, transaction }: ApiRequest,
  deduction: Deduction,
): Promise<ApiResponse> {
  const { accountId, amount, mode, note, tooMuch } = deduction;
  const reference = deduction.reference ?? null;
  const balanceKey = { accountId, mode };
  return await bookOnce(db, { ...balanceKey, kind: 'deduct', amount, reference }, async () => {
    const entry = await transaction(async (tx) => {
      const ledger = await lockBalances(tx, [balanceKey]);
      if (ledger.isClosed(balanceKey)) {
        throw accountClosed('The account is closed; credits cannot be deducted.');
      }
      const deducted = ledger.deduct(balanceKey, { amount, note, reference });
      if (deducted.outcome === 'insufficient') throw tooMuch(deducted.available);
      await ledger.flush();
      const detail = { amount, mode, note, reference };
      await recordAudit(tx, { actor, action: 'credits.deduct', subject: accountId, detail });
      return await getEntry(tx, { ...balanceKey, number: deducted.number });
    });
    measurements.countCredits('deduct', mode, amount);
    return entry;
  });
}
