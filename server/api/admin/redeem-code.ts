/** Redeems a code: its credits are booked once, to the balance that the code names. */
import { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { RedeemRequest } from '@vidgen/contract/top-ups.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import type { Transaction } from '../../database/database.ts';
import { type Entry, getEntry } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { parseCode } from '../../top-ups/code-format.ts';
import { type Code, lockCode, markRedeemed } from '../../top-ups/codes.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountClosed, getOpenAccount } from './account-response.ts';
import { codePepper } from './code-views.ts';
import { code as codeSample, ledgerEntry, redemptionCode } from './samples.ts';
import { entryView } from './views.ts';

/** Bounds guessing. Typing errors do not count: the check character catches them. */
const wrongCodeQuota = {
  purpose: 'wrong codes',
  limit: 10,
  windowSeconds: 3600,
  label: '10 wrong codes per hour and account',
} as const;

export const redeemCode = endpoint({
  parsesItself: true,
  operationId: 'redeemCode',
  method: 'POST',
  path: '/admin/accounts/:id/redemptions',
  summary: 'Redeem a code',
  description:
    'Adds the credits once, to the balance that the code names. A mistyped code gets its own ' +
    'message; after ten wrong codes in an hour the account has to wait.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  body: RedeemRequest,
  requestExamples: { code: ['A code', { code: codeSample }] },
  responses: {
    201: {
      description: 'The entry in the credit history.',
      schema: LedgerEntry,
      examples: {
        booked: [
          'Booked',
          {
            ...ledgerEntry,
            amount: redemptionCode.amount,
            balance_after: { available: 500, reserved: 0, spent: 0, suspended: 0 },
            note: redemptionCode.note,
            reference: `code:${redemptionCode.id}`,
          },
        ],
      },
    },
  },
  errors: {
    invalid_request: 'The code is unknown, revoked or used; ask its issuer for a new one.',
    rate_limited: true,
  },
  async handler(services, request) {
    const { db, measurements } = services.lifecycle;
    const { id: accountId } = await getOpenAccount(db, request.params.id!);
    const code = parseCode(parseBody(RedeemRequest, request.body).code);
    if (code === null) {
      throw new ApiError('invalid_request', 'Invalid code; check for typos.');
    }
    const { actor } = request;
    const redemption = { code, pepper: codePepper(services), accountId, actor };
    const outcome = await request.transaction((tx) => redeem(tx, redemption));
    // Thrown after the commit, so that the wrong code stays counted.
    if (outcome instanceof ApiError) throw outcome;
    measurements.countCredits('grant', outcome.mode, outcome.amount);
    return { status: 201, body: entryView(outcome) };
  },
});

async function redeem(
  tx: Transaction,
  redemption: { code: string; pepper: Buffer; accountId: string; actor: string },
): Promise<Entry | ApiError> {
  const { accountId, actor } = redemption;
  await requireQuota(tx, { accountId, ...wrongCodeQuota });
  const code = await lockCode(tx, redemption);
  if (code?.status !== 'open') {
    const isGuess = code === null || (code.status !== 'expired' && code.accountId !== accountId);
    if (isGuess) await recordUse(tx, { accountId, ...wrongCodeQuota });
    return notRedeemable(code, accountId);
  }
  const { id: codeId, amount, mode, note } = code;
  const balanceKey = { accountId, mode };
  const ledger = await lockBalances(tx, [balanceKey]);
  if (ledger.isClosed(balanceKey)) return accountClosed();
  const { number } = ledger.grant(balanceKey, { amount, note, reference: `code:${codeId}` });
  await ledger.flush();
  await markRedeemed(tx, { codeId, accountId });
  const detail = { code: codeId, amount, mode };
  await recordAudit(tx, { actor, action: 'credits.redeem', subject: accountId, detail });
  return await getEntry(tx, { ...balanceKey, number });
}

/**
 * Reveals that a code exists only to the account that redeemed it, and after it has expired. All
 * other failures look the same, so that codes cannot be guessed.
 */
function notRedeemable(code: Code | null, accountId: string): ApiError {
  if (code?.accountId === accountId) {
    return new ApiError(
      'invalid_request',
      'This account has already redeemed the code; see its credit history.',
    );
  }
  if (code?.status === 'expired') {
    const day = code.expiresAt!.toISOString().slice(0, 10);
    return new ApiError(
      'invalid_request',
      `The code expired on ${day}; ask its issuer for a new one.`,
    );
  }
  return new ApiError(
    'invalid_request',
    'The code is unknown, revoked or used; ask its issuer for a new one.',
  );
}
