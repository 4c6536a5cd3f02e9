/**
 * Credits that people add themselves: codes that an operator handed out, and packs that are paid
 * with Stripe. A code is worth its credits once; a payment is booked by `stripe-events.ts`.
 */
import { momentOf } from '@vidgen/contract/list.ts';
import { shownValue } from '@vidgen/contract/shown-value.ts';
import {
  CheckoutRequest,
  CreateCodesRequest,
  ListCodesQuery,
  RedeemRequest,
  type RedemptionCode,
  type TopUpsAnswer,
} from '@vidgen/contract/top-ups.ts';
import { type Account, getAccount } from '../accounts/account.ts';
import { deriveKey } from '../accounts/installation-secret.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { nowMs } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { openBooks } from '../ledger/books.ts';
import { type Entry, getEntry } from '../ledger/statement.ts';
import { requirePlace, takePlace } from '../rate-limits/account-window.ts';
import { Refusal } from '../refusal.ts';
import { noteSession, openCheckout } from '../top-ups/checkouts.ts';
import { recogniseCode } from '../top-ups/code-format.ts';
import {
  type Code,
  createCodes,
  listCodes,
  lockCode,
  markRedeemed,
  revokeCode,
} from '../top-ups/codes.ts';
import { entryView } from './admin-views.ts';
import { checkedBody, checkedQuery } from './check-request.ts';
import type { Answer, Asked, Service } from './service.ts';

/** Nobody mistypes a code into another one ten times an hour: its check character would tell. */
const wrongCodes = {
  purpose: 'wrong codes',
  limit: 10,
  windowSeconds: 3600,
  words: '10 wrong codes an hour',
} as const;

const pepperOf = ({ secret }: Service): Buffer => deriveKey(secret, 'redemption-codes-1');
const seconds = (at: Date | null): number | null => at && Math.floor(at.getTime() / 1000);

export async function getTopUps({ lifecycle, stripe }: Service, asked: Asked): Promise<Answer> {
  await getAccount(lifecycle.db, asked.params.id!);
  const currency = stripe?.currency ?? '';
  const packs = (stripe?.packs ?? []).map((pack) => ({ ...pack, currency }));
  return { body: { packs } satisfies TopUpsAnswer };
}

export async function postRedemption(service: Service, asked: Asked): Promise<Answer> {
  const { db } = service.lifecycle;
  const account = await openAccount(service, asked);
  const { code: given } = checkedBody(RedeemRequest, asked.body);
  const code = recogniseCode(given);
  if (code === null) {
    throw new Refusal(
      'invalid_request',
      'This is not a code: compare it with the one you were given, character by character.',
    );
  }
  const request = { code, pepper: pepperOf(service), accountId: account.id, actor: asked.actor };
  const outcome = await db.transaction((tx) => redeem(tx, request));
  // Thrown out here, so that the wrong guess stays counted.
  if (outcome instanceof Refusal) throw outcome;
  return { status: 201, body: entryView(outcome) };
}

async function redeem(
  tx: Transaction,
  request: { code: string; pepper: Buffer; accountId: string; actor: string },
): Promise<Entry | Refusal> {
  const { accountId, actor } = request;
  await requirePlace(tx, { accountId, ...wrongCodes });
  const code = await lockCode(tx, request);
  if (code?.status !== 'open') {
    const isGuess = code === null || (code.status !== 'expired' && code.accountId !== accountId);
    if (isGuess) await takePlace(tx, { accountId, ...wrongCodes });
    return notRedeemable(code, accountId);
  }
  const { id: codeId, amount, mode, note } = code;
  const purse = { accountId, mode };
  const books = await openBooks(tx, [purse]);
  if (books.isClosed(purse)) return closed();
  const { number } = books.grant(purse, { amount, note, reference: `code:${codeId}` });
  await books.write();
  await markRedeemed(tx, { codeId, accountId });
  const detail = { code: codeId, amount, mode };
  await recordAction(tx, { actor, action: 'credits.redeem', subject: accountId, detail });
  return await getEntry(tx, { ...purse, number });
}

/**
 * Whether a code was ever good is told only where it gives nothing away: to the account that has
 * its credits, and when it has ended for everyone.
 */
function notRedeemable(code: Code | null, accountId: string): Refusal {
  if (code?.accountId === accountId) {
    return new Refusal(
      'invalid_request',
      'This code was redeemed for this account already: its credits are in the statement.',
    );
  }
  if (code?.status === 'expired') {
    const day = code.expiresAt!.toISOString().slice(0, 10);
    return new Refusal(
      'invalid_request',
      `This code ended on ${day}: ask for another where you got it.`,
    );
  }
  return new Refusal(
    'invalid_request',
    'This code cannot be redeemed: it is not one of ours, was withdrawn, or has been used.',
  );
}

export async function postCheckout(service: Service, asked: Asked): Promise<Answer> {
  const { lifecycle, stripe, publicUrl } = service;
  const { db, log } = lifecycle;
  const { id: accountId } = await openAccount(service, asked);
  const { pack: wanted } = checkedBody(CheckoutRequest, asked.body);
  if (!stripe) {
    throw new Refusal('invalid_request', 'Nothing is for sale here: ask for a redemption code.');
  }
  const pack = stripe.packs.find(({ id }) => id === wanted);
  if (!pack) {
    const known = stripe.packs.map(({ id }) => id).join(', ');
    throw new Refusal(
      'invalid_request',
      `pack must be one of ${known} (got ${shownValue(wanted)})`,
    );
  }
  const { currency } = stripe;
  const checkout = await db.transaction(async (tx) => {
    const opened = await openCheckout(tx, { accountId, pack, currency, createdBy: asked.actor });
    const detail = { checkout: opened.id, pack: pack.id, price: pack.price, currency };
    const action = 'checkout.open';
    await recordAction(tx, { actor: asked.actor, action, subject: accountId, detail });
    return opened;
  });
  const page = `${publicUrl()}/dashboard/accounts/${accountId}/credits?checkout=`;
  const pages = { success: `${page}paid`, cancel: `${page}cancelled` };
  const opened = await stripe.open(checkout, pages);
  if (opened.outcome === 'failed') {
    log.error({ checkout: checkout.id, ...opened.detail }, 'Stripe opened no checkout');
    throw new Refusal(
      'internal_error',
      'The payment page could not be opened, and nothing was paid: try again in a minute.',
    );
  }
  const { sessionId, url } = opened;
  await db.transaction((tx) => noteSession(tx, { checkoutId: checkout.id, sessionId }));
  return { status: 201, body: { url } };
}

export async function postCodes(service: Service, { body, actor }: Asked): Promise<Answer> {
  const { expires_at, ...wanted } = checkedBody(CreateCodesRequest, body);
  const expiresAt = expires_at === undefined ? null : futureMoment(expires_at);
  const made = await service.lifecycle.db.transaction(async (tx) => {
    const pepper = pepperOf(service);
    const codes = await createCodes(tx, { ...wanted, expiresAt, createdBy: actor, pepper });
    const detail = { ...wanted, expires_at: expiresAt };
    const subject = codes[0]!.id;
    await recordAction(tx, { actor, action: 'codes.create', subject, detail });
    return codes;
  });
  return {
    status: 201,
    body: { items: made.map((one) => ({ ...codeView(one), code: one.code })) },
  };
}

export async function getCodes({ lifecycle }: Service, { query }: Asked): Promise<Answer> {
  const page = await listCodes(lifecycle.db, checkedQuery(ListCodesQuery, query));
  return { body: { items: page.items.map(codeView), next_cursor: page.nextCursor } };
}

export async function deleteCode({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { actor, params } = asked;
  await lifecycle.db.transaction(async (tx) => {
    const { id: subject, status } = await revokeCode(tx, params.id!);
    if (status !== 'revoked') await recordAction(tx, { actor, action: 'code.revoke', subject });
  });
  return { status: 204 };
}

async function openAccount({ lifecycle }: Service, asked: Asked): Promise<Account> {
  const account = await getAccount(lifecycle.db, asked.params.id!);
  if (account.closedAt) throw closed();
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

function futureMoment(given: string | number): Date {
  const moment = momentOf(String(given));
  if (moment && moment.getTime() > nowMs()) return moment;
  throw new Refusal(
    'invalid_request',
    `expires_at must be in the future (got ${shownValue(given)})`,
  );
}

const closed = (): Refusal =>
  new Refusal('invalid_request', 'The account is closed: nothing can be booked to it any more.');
