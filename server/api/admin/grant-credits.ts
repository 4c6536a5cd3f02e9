/**
 * Grants credits, once per `reference`: a repeated request returns the same entry, and one with
 * another amount is rejected.
 */
import { GrantCreditsRequest, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { getEntry } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountClosed } from './account-response.ts';
import { bookDeduction } from './book-deduction.ts';
import { bookOnce } from './book-once.ts';
import { deduction } from './deduct-credits.ts';
import { ledgerEntry } from './samples.ts';

export const grantCredits = endpoint({
  parsesItself: true,
  operationId: 'grantCredits',
  method: 'POST',
  path: '/admin/accounts/:id/credits',
  summary: 'Grant credits',
  description:
    'A `reference` adds credits once: sending it again returns the first entry, and with another ' +
    'amount it is rejected. A negative `amount` corrects a grant: it takes at most what is ' +
    'available, as a deduction does.',
  auth: 'admin',
  requiresConfirmation: true,
  body: GrantCreditsRequest,
  requestExamples: {
    invoice: [
      'A paid invoice',
      { amount: 1000, mode: 'live', note: 'Invoice 2026-017', reference: 'inv_2026_017' },
    ],
    correction: ['Too much was granted', { amount: -400, mode: 'live', note: deduction.note }],
  },
  responses: {
    201: {
      description: 'The entry in the ledger.',
      schema: LedgerEntry,
      examples: { grant: ['A grant', ledgerEntry], correction: ['A correction', deduction] },
    },
  },
  errors: { invalid_request: 'amount must not be 0' },
  async handler(services, request) {
    const { db, measurements } = services.lifecycle;
    const { params, body, actor, transaction } = request;
    const { id: accountId } = await getAccount(db, params.id!);
    const grant = parseBody(GrantCreditsRequest, body);
    const { amount, mode, note, reference = null } = grant;
    if (amount < 0) {
      const tooMuch = (available: number) => tooMuchError(grant, available);
      const correction = { ...grant, amount: -amount, accountId, tooMuch };
      return await bookDeduction(services, request, correction);
    }
    return await bookOnce(db, { accountId, mode, kind: 'grant', amount, reference }, async () => {
      const entry = await transaction(async (tx) => {
        const ledger = await lockBalances(tx, [{ accountId, mode }]);
        if (ledger.isClosed({ accountId, mode })) throw accountClosed();
        const { number } = ledger.grant({ accountId, mode }, { amount, note, reference });
        await ledger.flush();
        const detail = { amount, mode, note, reference };
        await recordAudit(tx, { actor, action: 'credits.grant', subject: accountId, detail });
        return await getEntry(tx, { accountId, mode, number });
      });
      measurements.countCredits('grant', mode, amount);
      return entry;
    });
  },
});

const tooMuchError = ({ amount, mode }: GrantCreditsRequest, available: number): ApiError =>
  new ApiError(
    'invalid_request',
    `amount must be at least ${-available || 0}, as ${available} ${mode} credits are available ` +
      `(got ${amount})`,
  );
