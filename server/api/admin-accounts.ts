/**
 * Operators: accounts, their credits and keys. Each change is in the audit log of the same commit.
 */
import {
  CreateAccountRequest,
  GrantCreditsRequest,
  ListAccountsQuery,
  ListKeysQuery,
  ListLedgerQuery,
  MintKeyRequest,
  previousSecretSecondsDefault,
  RotateWebhookSecretRequest,
} from '@vidgen/contract/admin-accounts.ts';
import { momentOf } from '@vidgen/contract/list.ts';
import { shownValue } from '@vidgen/contract/shown-value.ts';
import {
  type Account,
  closeAccount,
  createAccount,
  getAccount,
  listAccounts,
  rotateWebhookSecret,
} from '../accounts/account.ts';
import { listKeys, mintKey, revokeKey } from '../accounts/api-key.ts';
import { keyPepper } from '../accounts/api-key-format.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { nowMs } from '../clock.ts';
import { sqlState } from '../database/database.ts';
import {
  type Balance,
  closeBalances,
  findBalances,
  openBalances,
  openBooks,
} from '../ledger/books.ts';
import { findGrant, getEntry, listEntries } from '../ledger/statement.ts';
import { Refusal } from '../refusal.ts';
import { creditsOfKeys } from '../tasks/usage.ts';
import { accountView, entryView, keyView } from './admin-views.ts';
import { checkedBody, checkedQuery, foreignCursor } from './check-request.ts';
import type { Answer, Asked, Service } from './service.ts';

const nothing: Balance = { available: 0, reserved: 0, spent: 0, suspended: 0 };

export async function postAccount({ lifecycle }: Service, { body, actor }: Asked): Promise<Answer> {
  const { name } = checkedBody(CreateAccountRequest, body);
  const account = await lifecycle.db.transaction(async (tx) => {
    const made = await createAccount(tx, { name });
    await openBalances(tx, made.id);
    await recordAction(tx, { actor, action: 'account.create', subject: made.id, detail: { name } });
    return made;
  });
  return { status: 201, body: await shown(lifecycle, account) };
}

export async function getAccounts({ lifecycle }: Service, { query }: Asked): Promise<Answer> {
  const page = await listAccounts(lifecycle.db, checkedQuery(ListAccountsQuery, query));
  const balances = await findBalances(
    lifecycle.db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((account) => {
    const both = balances.get(account.id) ?? { live: nothing, test: nothing };
    const { webhook_secret: _, ...listed } = accountView(account, {
      balances: both,
      showsSecret: false,
    });
    return listed;
  });
  return { body: { items, next_cursor: page.nextCursor } };
}

/** Who may only look is not told what calls are signed with. */
export async function getOneAccount({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const account = await getAccount(lifecycle.db, asked.params.id!);
  const showsSecret = asked.role !== 'viewer';
  return { body: await shown(lifecycle, account, { showsSecret }) };
}

export async function postCredits({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { db } = lifecycle;
  const { id: accountId } = await getAccount(db, asked.params.id!);
  const { amount, mode, note, reference = null } = checkedBody(GrantCreditsRequest, asked.body);
  const booked = async () =>
    reference === null ? null : await findGrant(db, { accountId, mode, reference });
  const before = await booked();
  if (before) return { status: 201, body: entryView(before) };
  try {
    const entry = await db.transaction(async (tx) => {
      const books = await openBooks(tx, [{ accountId, mode }]);
      if (books.isClosed({ accountId, mode })) throw closed('nothing can be booked to it any more');
      const { number } = books.grant({ accountId, mode }, { amount, note, reference });
      await books.write();
      const detail = { amount, mode, note, reference };
      await recordAction(tx, {
        actor: asked.actor,
        action: 'credits.grant',
        subject: accountId,
        detail,
      });
      return await getEntry(tx, { accountId, mode, number });
    });
    return { status: 201, body: entryView(entry) };
  } catch (error) {
    // The same reference was booked while we were at it: its entry is the answer.
    const first = sqlState(error) === '23505' ? await booked() : null;
    if (!first) throw error;
    return { status: 201, body: entryView(first) };
  }
}

export async function getLedger({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const { cursor, limit, mode, kind, task_id: taskId } = checkedQuery(ListLedgerQuery, asked.query);
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw foreignCursor();
  const beforeId = cursor === undefined ? undefined : Number(cursor);
  const filter = { accountId, mode, kind, taskId, beforeId, limit: limit + 1 };
  const found = await listEntries(lifecycle.db, filter);
  const items = found.slice(0, limit).map(entryView);
  return { body: { items, next_cursor: found.length > limit ? items.at(-1)!.id : null } };
}

export async function postKey({ lifecycle, secret }: Service, asked: Asked): Promise<Answer> {
  const account = await getAccount(lifecycle.db, asked.params.id!);
  const { name, mode, permissions, expires_at } = checkedBody(MintKeyRequest, asked.body);
  if (account.closedAt) throw closed('it takes no new keys');
  const expiresAt = expires_at === undefined ? null : futureMoment(expires_at);
  const key = await lifecycle.db.transaction(async (tx) => {
    const request = {
      accountId: account.id,
      mode,
      name,
      permissions,
      expiresAt,
      createdBy: asked.actor,
    };
    const minted = await mintKey(tx, { pepper: keyPepper(secret), ...request });
    const detail = { name, mode, permissions: minted.permissions, expires_at: expiresAt };
    await recordAction(tx, { actor: asked.actor, action: 'key.mint', subject: minted.id, detail });
    return minted;
  });
  return { status: 201, body: { ...keyView(key, { credits30Days: 0 }), key: key.key } };
}

export async function getKeys({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { id: accountId } = await getAccount(lifecycle.db, asked.params.id!);
  const page = await listKeys(lifecycle.db, {
    accountId,
    ...checkedQuery(ListKeysQuery, asked.query),
  });
  const since = new Date(nowMs() - 30 * 86_400_000);
  const credits = await creditsOfKeys(lifecycle.db, { accountId, since });
  const items = page.items.map((key) => keyView(key, { credits30Days: credits.get(key.id) ?? 0 }));
  return { body: { items, next_cursor: page.nextCursor } };
}

export async function deleteKey({ lifecycle, keys }: Service, asked: Asked): Promise<Answer> {
  const keyId = asked.params.id!;
  await lifecycle.db.transaction(async (tx) => {
    await revokeKey(tx, keyId);
    await recordAction(tx, { actor: asked.actor, action: 'key.revoke', subject: keyId });
  });
  keys.forget(keyId);
  return { status: 204 };
}

export async function postClose({ lifecycle, keys }: Service, asked: Asked): Promise<Answer> {
  const account = await lifecycle.db.transaction(async (tx) => {
    const done = await closeAccount(tx, asked.params.id!);
    await closeBalances(tx, done.id);
    await recordAction(tx, { actor: asked.actor, action: 'account.close', subject: done.id });
    return done;
  });
  keys.forgetAccount(account.id);
  return { body: await shown(lifecycle, account) };
}

export async function postRotateSecret({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { keep_previous_seconds: keepPreviousSeconds = previousSecretSecondsDefault } = checkedBody(
    RotateWebhookSecretRequest,
    asked.body === undefined ? {} : asked.body,
  );
  const account = await lifecycle.db.transaction(async (tx) => {
    const rotated = await rotateWebhookSecret(tx, asked.params.id!, { keepPreviousSeconds });
    const detail = { keep_previous_seconds: keepPreviousSeconds };
    const action = 'webhook_secret.rotate';
    await recordAction(tx, { actor: asked.actor, action, subject: rotated.id, detail });
    return rotated;
  });
  return { body: await shown(lifecycle, account) };
}

async function shown(
  { db }: Service['lifecycle'],
  account: Account,
  { showsSecret = true }: { showsSecret?: boolean } = {},
) {
  const found = await findBalances(db, [account.id]);
  const balances = found.get(account.id) ?? { live: nothing, test: nothing };
  return accountView(account, { balances, showsSecret });
}

/** A key that has expired before it was minted can only be a mistake. */
function futureMoment(given: string | number): Date {
  const moment = momentOf(String(given));
  if (moment && moment.getTime() > nowMs()) return moment;
  throw new Refusal(
    'invalid_request',
    `expires_at must be in the future (got ${shownValue(given)})`,
  );
}

const closed = (consequence: string): Refusal =>
  new Refusal('invalid_request', `The account is closed: ${consequence}.`);
