/**
 * Credits that people add themselves: codes that an operator handed out, and packs that are paid
 * with Stripe. A code is worth its credits once; a payment is booked by `stripe-events.ts`.
 */

import { formatValue } from '@vidgen/contract/format-value.ts';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import {
  CheckoutRequest,
  CreateCodesRequest,
  ListCodesQuery,
  RedeemRequest,
  type RedemptionCode,
  type TopUpsResponse,
} from '@vidgen/contract/top-ups.ts';
import { type Account, getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { ApiError } from '../../api-error.ts';
import { nowMs } from '../../clock.ts';
import type { Transaction } from '../../database/database.ts';
import { type Entry, getEntry } from '../../ledger/entries.ts';
import { lockBalances } from '../../ledger/ledger.ts';
import { recordUse, requireQuota } from '../../rate-limits/account-quota.ts';
import { openCheckout, setCheckoutSession } from '../../top-ups/checkouts.ts';
import { parseCode } from '../../top-ups/code-format.ts';
import {
  type Code,
  createCodes,
  listCodes,
  lockCode,
  markRedeemed,
  revokeCode,
} from '../../top-ups/codes.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseBody, parseQuery } from '../http/parse-request.ts';
import { entryView } from './views.ts';

/** Nobody mistypes a code into another one ten times an hour: its check character would tell. */
const wrongCodeQuota = {
  purpose: 'wrong codes',
  limit: 10,
  windowSeconds: 3600,
  label: '10 wrong codes an hour',
} as const;

const pepperOf = ({ secret }: ApiServices): Buffer => deriveKey(secret, 'redemption-codes-1');
const seconds = (at: Date | null): number | null => at && Math.floor(at.getTime() / 1000);

export async function getTopUps(
  { lifecycle, stripe }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  await getAccount(lifecycle.db, request.params.id!);
  const currency = stripe?.currency ?? '';
  const packs = (stripe?.packs ?? []).map((pack) => ({ ...pack, currency }));
  return { body: { packs } satisfies TopUpsResponse };
}

export async function postRedemption(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { db } = services.lifecycle;
  const account = await getOpenAccount(services, request);
  const { code: input } = parseBody(RedeemRequest, request.body);
  const code = parseCode(input);
  if (code === null) {
    throw new ApiError(
      'invalid_request',
      'This is not a code: compare it with the one you were given, character by character.',
    );
  }
  const redemption = {
    code,
    pepper: pepperOf(services),
    accountId: account.id,
    actor: request.actor,
  };
  const outcome = await db.transaction((tx) => redeem(tx, redemption));
  // Thrown out here, so that the wrong guess stays counted.
  if (outcome instanceof ApiError) throw outcome;
  return { status: 201, body: entryView(outcome) };
}

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
 * Whether a code was ever good is told only where it gives nothing away: to the account that has
 * its credits, and when it has ended for everyone.
 */
function notRedeemable(code: Code | null, accountId: string): ApiError {
  if (code?.accountId === accountId) {
    return new ApiError(
      'invalid_request',
      'This code was redeemed for this account already: its credits are in the statement.',
    );
  }
  if (code?.status === 'expired') {
    const day = code.expiresAt!.toISOString().slice(0, 10);
    return new ApiError(
      'invalid_request',
      `This code ended on ${day}: ask for another where you got it.`,
    );
  }
  return new ApiError(
    'invalid_request',
    'This code cannot be redeemed: it is not one of ours, was withdrawn, or has been used.',
  );
}

export async function postCheckout(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { lifecycle, stripe, publicUrl } = services;
  const { db, log } = lifecycle;
  const { id: accountId } = await getOpenAccount(services, request);
  const { pack: packId } = parseBody(CheckoutRequest, request.body);
  if (!stripe) {
    throw new ApiError('invalid_request', 'Nothing is for sale here: ask for a redemption code.');
  }
  const pack = stripe.packs.find(({ id }) => id === packId);
  if (!pack) {
    const packIds = stripe.packs.map(({ id }) => id).join(', ');
    throw new ApiError(
      'invalid_request',
      `pack must be one of ${packIds} (got ${formatValue(packId)})`,
    );
  }
  const { currency } = stripe;
  const checkout = await db.transaction(async (tx) => {
    const opened = await openCheckout(tx, { accountId, pack, currency, createdBy: request.actor });
    const detail = { checkout: opened.id, pack: pack.id, price: pack.price, currency };
    const action = 'checkout.open';
    await recordAudit(tx, { actor: request.actor, action, subject: accountId, detail });
    return opened;
  });
  const creditsPageUrl = `${publicUrl()}/dashboard/accounts/${accountId}/credits?checkout=`;
  const returnUrls = { success: `${creditsPageUrl}paid`, cancel: `${creditsPageUrl}cancelled` };
  const opened = await stripe.open(checkout, returnUrls);
  if (opened.outcome === 'failed') {
    log.error({ checkout: checkout.id, ...opened.detail }, 'Stripe opened no checkout');
    throw new ApiError(
      'internal_error',
      'The payment page could not be opened, and nothing was paid: try again in a minute.',
    );
  }
  const { sessionId, url } = opened;
  await db.transaction((tx) => setCheckoutSession(tx, { checkoutId: checkout.id, sessionId }));
  return { status: 201, body: { url } };
}

export async function postCodes(
  services: ApiServices,
  { body, actor }: ApiRequest,
): Promise<ApiResponse> {
  const { expires_at, ...options } = parseBody(CreateCodesRequest, body);
  const expiresAt = expires_at === undefined ? null : parseFutureTimestamp(expires_at);
  const created = await services.lifecycle.db.transaction(async (tx) => {
    const pepper = pepperOf(services);
    const codes = await createCodes(tx, { ...options, expiresAt, createdBy: actor, pepper });
    const detail = { ...options, expires_at: expiresAt };
    const subject = codes[0]!.id;
    await recordAudit(tx, { actor, action: 'codes.create', subject, detail });
    return codes;
  });
  return {
    status: 201,
    body: { items: created.map((one) => ({ ...codeView(one), code: one.code })) },
  };
}

export async function getCodes(
  { lifecycle }: ApiServices,
  { query }: ApiRequest,
): Promise<ApiResponse> {
  const page = await listCodes(lifecycle.db, parseQuery(ListCodesQuery, query));
  return { body: { items: page.items.map(codeView), next_cursor: page.nextCursor } };
}

export async function deleteCode(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { actor, params } = request;
  await lifecycle.db.transaction(async (tx) => {
    const { id: subject, status } = await revokeCode(tx, params.id!);
    if (status !== 'revoked') await recordAudit(tx, { actor, action: 'code.revoke', subject });
  });
  return { status: 204 };
}

async function getOpenAccount({ lifecycle }: ApiServices, request: ApiRequest): Promise<Account> {
  const account = await getAccount(lifecycle.db, request.params.id!);
  if (account.closedAt) throw accountClosed();
  return account;
}

const codeView = (code: Code): RedemptionCode => ({
  id: code.id,
  last_four: code.lastFour,
  amount: code.amount,
  mode: code.mode,
  note: code.note,
  status: code.status,
  created_at: seconds(code.createdAt)!,
  created_by: code.createdBy,
  expires_at: seconds(code.expiresAt),
  redeemed_at: seconds(code.redeemedAt),
  account_id: code.accountId,
});

function parseFutureTimestamp(value: string | number): Date {
  const timestamp = parseTimestamp(String(value));
  if (timestamp && timestamp.getTime() > nowMs()) return timestamp;
  throw new ApiError(
    'invalid_request',
    `expires_at must be in the future (got ${formatValue(value)})`,
  );
}

const accountClosed = (): ApiError =>
  new ApiError('invalid_request', 'The account is closed: nothing can be booked to it any more.');
