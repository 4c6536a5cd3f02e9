/** Grants credits, once per `reference`: a repeated request returns the same entry. */
import { GrantCreditsRequest, LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { sqlState } from '../../database/database.ts';
import { findGrant, getEntry } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountClosed } from './account-response.ts';
import { ledgerEntry } from './samples.ts';
import { entryView } from './views.ts';

export const grantCredits = endpoint({
  operationId: 'grantCredits',
  method: 'POST',
  path: '/admin/accounts/:id/credits',
  summary: 'Grant credits',
  description:
    'A `reference` is booked once: repeating it answers with the entry it was booked as.',
  auth: 'admin',
  requiresConfirmation: true,
  body: GrantCreditsRequest,
  requestExamples: {
    invoice: [
      'A paid invoice',
      { amount: 1000, mode: 'live', note: 'Invoice 2026-017', reference: 'inv_2026_017' },
    ],
  },
  responses: {
    201: {
      description: 'The entry in the ledger.',
      schema: LedgerEntry,
      examples: { grant: ['A grant', ledgerEntry] },
    },
  },
  errors: { invalid_request: 'amount must be at least 1 (got 0)' },
  async handler({ lifecycle: { db } }, { params, body, actor, transaction }) {
    const { id: accountId } = await getAccount(db, params.id!);
    const { amount, mode, note, reference = null } = parseBody(GrantCreditsRequest, body);
    const findBooked = async () =>
      reference === null ? null : await findGrant(db, { accountId, mode, reference });
    const existing = await findBooked();
    if (existing) return { status: 201, body: entryView(existing) };
    try {
      const entry = await transaction(async (tx) => {
        const ledger = await lockBalances(tx, [{ accountId, mode }]);
        if (ledger.isClosed({ accountId, mode })) throw accountClosed();
        const { number } = ledger.grant({ accountId, mode }, { amount, note, reference });
        await ledger.flush();
        const detail = { amount, mode, note, reference };
        await recordAudit(tx, { actor, action: 'credits.grant', subject: accountId, detail });
        return await getEntry(tx, { accountId, mode, number });
      });
      return { status: 201, body: entryView(entry) };
    } catch (error) {
      // A unique violation (23505): a concurrent request has booked the same reference.
      const concurrent = sqlState(error) === '23505' ? await findBooked() : null;
      if (!concurrent) throw error;
      return { status: 201, body: entryView(concurrent) };
    }
  },
});
