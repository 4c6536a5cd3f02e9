/** Redemption codes: create, list and revoke them. A redeemed one is booked once. */
import { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  CreateCodesRequest,
  CreatedCodes,
  ListCodesQuery,
  ListCodesResponse,
  RedeemRequest,
  type RedemptionCode,
} from '@vidgen/contract/top-ups.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import type { Transaction } from '../../database/database.ts';
import { type Entry, getEntry } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { parseCode } from '../../top-ups/code-format.ts';
import * as codes from '../../top-ups/codes.ts';
import { accountClosed, getOpenAccount } from '../accounts/account-response.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiServices } from '../http/handler.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';
import { accountId, createdAt } from '../http/samples.ts';
import { parseExpiry, unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { entrySample, entryView } from './credits.ts';

const codeSample = {
  id: 'code_01kbwq3n7he9rv5t2m8xz4c6da',
  last_four: 'Q7ZN',
  amount: 500,
  mode: 'live',
  note: 'Workshop in March',
  status: 'open',
  created_at: createdAt,
  created_by: 'admin token',
  expires_at: createdAt + 90 * 86_400,
  redeemed_at: null,
  account_id: null,
} as const;

const codeText = 'VG-7K2M-9XQ4-T0HB-C3WF-Q7ZN';

export const createCodes = endpoint({
  operationId: 'createRedemptionCodes',
  method: 'POST',
  path: '/admin/redemption-codes',
  summary: 'Create redemption codes',
  description: 'Creates up to 1,000 codes of the same kind. Only this response contains the codes.',
  auth: 'admin',
  requiresConfirmation: true,
  body: CreateCodesRequest,
  requestExamples: {
    workshop: [
      'Thirty codes for a workshop',
      { amount: 500, mode: 'live', count: 30, note: 'Workshop in March' },
    ],
  },
  responses: {
    201: jsonResponse('The codes.', CreatedCodes, {
      made: ['One of them', { items: [{ ...codeSample, code: codeText }] }],
    }),
  },
  errors: { invalid_request: 'count must be at most 1000 (got 2000)' },
  async handler(services, { body, actor, transaction }) {
    const { expires_at, ...options } = body;
    const expiresAt = parseExpiry(expires_at);
    const created = await transaction(async (tx) => {
      const pepper = codePepper(services);
      const rows = await codes.createCodes(tx, { ...options, expiresAt, createdBy: actor, pepper });
      const detail = { ...options, expires_at: expiresAt };
      await recordAudit(tx, { actor, action: 'codes.create', subject: rows[0]!.id, detail });
      return rows;
    });
    const items = created.map((row) => ({ ...codeView(row), code: row.code }));
    return { status: 201, body: { items } };
  },
});

const redeemed = { status: 'redeemed', redeemed_at: createdAt + 3600, account_id: accountId };

const listCodes = endpoint({
  operationId: 'listRedemptionCodes',
  method: 'GET',
  path: '/admin/redemption-codes',
  summary: 'List redemption codes',
  description: 'Newest first by default, without the codes themselves.',
  auth: 'admin',
  query: ListCodesQuery,
  responses: { 200: fileListDescription(ListCodesResponse, { ...codeSample, ...redeemed }) },
  errors: { invalid_request: true, rate_limited: true },
  async handler(services, request) {
    const { q, sort, status, mode, account_id: accountId } = request.query;
    const filter = { search: q, sort, status, mode, accountId };
    return await listResponse(services, request, {
      columns,
      contentName: 'redemption-codes',
      async read(page) {
        const found = await codes.listCodes(services.lifecycle.db, { ...filter, ...page });
        return { ...found, items: found.items.map(codeView) };
      },
    });
  },
});

const columns: readonly CsvColumn<RedemptionCode>[] = [
  ...fieldColumns('id', 'last_four', 'amount', 'mode', 'status', 'note', 'created_at'),
  ...fieldColumns('created_by', 'expires_at', 'redeemed_at', 'account_id'),
];

const revokeCode = endpoint({
  operationId: 'revokeRedemptionCode',
  method: 'DELETE',
  path: '/admin/redemption-codes/:id',
  summary: 'Revoke a redemption code',
  description: 'The code can no longer be redeemed. Credits from earlier redemptions stay.',
  auth: 'admin',
  responses: { 204: { description: 'Withdrawn.' } },
  errors: { invalid_request: 'This code was already redeemed and can’t be revoked.' },
  async handler(_services, { actor, params, transaction }) {
    await transaction(async (tx) => {
      const { id: subject, status } = await codes.revokeCode(tx, params.id!);
      if (status !== 'revoked') await recordAudit(tx, { actor, action: 'code.revoke', subject });
    });
    return { status: 204 };
  },
});

/** Bounds guessing. Typing errors do not count: the check character catches them. */
const wrongCodeQuota = {
  purpose: 'wrong codes',
  limit: 10,
  windowSeconds: 3600,
  label: '10 wrong codes per hour and account',
} as const;

export const redeemCode = endpoint({
  operationId: 'redeemCode',
  method: 'POST',
  path: '/admin/accounts/:id/redemptions',
  summary: 'Redeem a code',
  description:
    'Adds the credits once, to the balance that the code names. A mistyped code gets its own ' +
    'message; after ten wrong codes in an hour the account has to wait.',
  auth: 'member',
  role: 'owner',
  body: RedeemRequest,
  requestExamples: { code: ['A code', { code: codeText }] },
  responses: {
    201: jsonResponse('The entry in the credit history.', LedgerEntry, {
      booked: [
        'Booked',
        {
          ...entrySample,
          amount: codeSample.amount,
          balance_after: { available: 500, reserved: 0, spent: 0, suspended: 0 },
          note: codeSample.note,
          reference: `code:${codeSample.id}`,
        },
      ],
    }),
  },
  errors: {
    invalid_request: 'The code is unknown, revoked or used; ask its issuer for a new one.',
    rate_limited: true,
  },
  async handler(services, request) {
    const { db, measurements } = services.lifecycle;
    const { id: accountId } = await getOpenAccount(
      db,
      request.params.id!,
      'credits cannot be added',
    );
    const code = parseCode(request.body.code);
    if (code === null) throw invalidRequest('Invalid code; check for typos.');
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
  const code = await codes.lockCode(tx, redemption);
  if (code?.status !== 'open') {
    const isGuess = code === null || (code.status !== 'expired' && code.accountId !== accountId);
    if (isGuess) await recordUse(tx, { accountId, ...wrongCodeQuota });
    return notRedeemable(code, accountId);
  }
  const { id: codeId, amount, mode, note } = code;
  const balanceKey = { accountId, mode };
  const ledger = await lockBalances(tx, [balanceKey]);
  if (ledger.isClosed(balanceKey)) return accountClosed('credits cannot be added');
  const { number } = ledger.grant(balanceKey, { amount, note, reference: `code:${codeId}` });
  await ledger.flush();
  await codes.markRedeemed(tx, { codeId, accountId });
  const detail = { code: codeId, amount, mode };
  await recordAudit(tx, { actor, action: 'credits.redeem', subject: accountId, detail });
  return await getEntry(tx, { ...balanceKey, number });
}

/**
 * Reveals that a code exists only to the account that redeemed it, and after it has expired. All
 * other failures look the same, so that codes cannot be guessed.
 */
function notRedeemable(code: codes.Code | null, accountId: string): ApiError {
  if (code?.accountId === accountId) {
    return invalidRequest('This account has already redeemed the code; see its credit history.');
  }
  if (code?.status === 'expired') {
    const day = code.expiresAt!.toISOString().slice(0, 10);
    return invalidRequest(`The code expired on ${day}; ask its issuer for a new one.`);
  }
  return invalidRequest('The code is unknown, revoked or used; ask its issuer for a new one.');
}

const codePepper = ({ secret }: ApiServices): Buffer => deriveKey(secret, 'redemption-codes-1');

const codeView = (code: codes.Code): RedemptionCode => ({
  id: code.id,
  last_four: code.lastFour,
  amount: code.amount,
  mode: code.mode,
  note: code.note,
  status: code.status,
  created_at: unixSeconds(code.createdAt),
  created_by: code.createdBy,
  expires_at: unixSecondsOrNull(code.expiresAt),
  redeemed_at: unixSecondsOrNull(code.redeemedAt),
  account_id: code.accountId,
});

export const redemptionCodeEndpoints = [redeemCode, createCodes, listCodes, revokeCode];
