/**
 * Operators: accounts, their credits and keys. Each change is in the audit log of the same commit.
 */
import {
  CreateAccountRequest,
  CreateApiKeyRequest,
  GrantCreditsRequest,
  ListAccountsQuery,
  ListKeysQuery,
  ListLedgerQuery,
  previousSecretSecondsDefault,
  RotateWebhookSecretRequest,
} from '@vidgen/contract/admin-accounts.ts';
import { formatValue } from '@vidgen/contract/format-value.ts';
import { parseTimestamp } from '@vidgen/contract/list.ts';
import {
  type Account,
  closeAccount,
  createAccount,
  getAccount,
  listAccounts,
  rotateWebhookSecret,
} from '../../accounts/account.ts';
import { createApiKey, listKeys, revokeKey } from '../../accounts/api-key.ts';
import { keyPepper } from '../../accounts/api-key-format.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { ApiError } from '../../api-error.ts';
import { nowMs } from '../../clock.ts';
import { sqlState } from '../../database/database.ts';
import { findGrant, getEntry, listEntries } from '../../ledger/entries.ts';
import {
  type Balance,
  closeBalances,
  createBalances,
  findBalances,
  lockBalances,
} from '../../ledger/ledger.ts';
import { creditsOfKeys } from '../../tasks/usage.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { invalidCursor, parseBody, parseQuery } from '../http/parse-request.ts';
import { accountView, entryView, keyView } from './views.ts';

const emptyBalance: Balance = { available: 0, reserved: 0, spent: 0, suspended: 0 };

export async function postAccount(
  { lifecycle }: ApiServices,
  { body, actor }: ApiRequest,
): Promise<ApiResponse> {
  const { name } = parseBody(CreateAccountRequest, body);
  const account = await lifecycle.db.transaction(async (tx) => {
    const created = await createAccount(tx, { name });
    await createBalances(tx, created.id);
    await recordAudit(tx, {
      actor,
      action: 'account.create',
      subject: created.id,
      detail: { name },
    });
    return created;
  });
  return { status: 201, body: await accountWithBalances(lifecycle, account) };
}

export async function getAccounts(
  { lifecycle }: ApiServices,
  { query }: ApiRequest,
): Promise<ApiResponse> {
  const page = await listAccounts(lifecycle.db, parseQuery(ListAccountsQuery, query));
  const balances = await findBalances(
    lifecycle.db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((account) => {
    const accountBalances = balances.get(account.id) ?? { live: emptyBalance, test: emptyBalance };
    const { webhook_secret: _, ...listedAccount } = accountView(account, {
      balances: accountBalances,
      includeSecret: false,
    });
    return listedAccount;
  });
  return { body: { items, next_cursor: page.nextCursor } };
}

/** Who may only look is not told what calls are signed with. */
export async function getOneAccount(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const account = await getAccount(lifecycle.db, request.params.id!);
  const includeSecret = request.role !== 'viewer';
  return { body: await accountWithBalances(lifecycle, account, { includeSecret }) };
}

export async function postCredits(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { db } = lifecycle;
  const { id: accountId } = await getAccount(db, request.params.id!);
  const { amount, mode, note, reference = null } = parseBody(GrantCreditsRequest, request.body);
  const findBooked = async () =>
    reference === null ? null : await findGrant(db, { accountId, mode, reference });
  const existing = await findBooked();
  if (existing) return { status: 201, body: entryView(existing) };
  try {
    const entry = await db.transaction(async (tx) => {
      const ledger = await lockBalances(tx, [{ accountId, mode }]);
      if (ledger.isClosed({ accountId, mode }))
        throw accountClosed('nothing can be booked to it any more');
      const { number } = ledger.grant({ accountId, mode }, { amount, note, reference });
      await ledger.flush();
      const detail = { amount, mode, note, reference };
      await recordAudit(tx, {
        actor: request.actor,
        action: 'credits.grant',
        subject: accountId,
        detail,
      });
      return await getEntry(tx, { accountId, mode, number });
    });
    return { status: 201, body: entryView(entry) };
  } catch (error) {
    // The same reference was booked while we were at it: its entry is the answer.
    const concurrent = sqlState(error) === '23505' ? await findBooked() : null;
    if (!concurrent) throw error;
    return { status: 201, body: entryView(concurrent) };
  }
}

export async function getLedger(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const { cursor, limit, mode, kind, task_id: taskId } = parseQuery(ListLedgerQuery, request.query);
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidCursor();
  const beforeId = cursor === undefined ? undefined : Number(cursor);
  const filter = { accountId, mode, kind, taskId, beforeId, limit: limit + 1 };
  const found = await listEntries(lifecycle.db, filter);
  const items = found.slice(0, limit).map(entryView);
  return { body: { items, next_cursor: found.length > limit ? items.at(-1)!.id : null } };
}

export async function postKey(
  { lifecycle, secret }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const account = await getAccount(lifecycle.db, request.params.id!);
  const { name, mode, permissions, expires_at } = parseBody(CreateApiKeyRequest, request.body);
  if (account.closedAt) throw accountClosed('it takes no new keys');
  const expiresAt = expires_at === undefined ? null : parseFutureTimestamp(expires_at);
  const key = await lifecycle.db.transaction(async (tx) => {
    const newKey = {
      accountId: account.id,
      mode,
      name,
      permissions,
      expiresAt,
      createdBy: request.actor,
    };
    const created = await createApiKey(tx, { pepper: keyPepper(secret), ...newKey });
    const detail = { name, mode, permissions: created.permissions, expires_at: expiresAt };
    await recordAudit(tx, {
      actor: request.actor,
      action: 'key.mint',
      subject: created.id,
      detail,
    });
    return created;
  });
  return { status: 201, body: { ...keyView(key, { credits30Days: 0 }), key: key.key } };
}

export async function getKeys(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { id: accountId } = await getAccount(lifecycle.db, request.params.id!);
  const page = await listKeys(lifecycle.db, {
    accountId,
    ...parseQuery(ListKeysQuery, request.query),
  });
  const since = new Date(nowMs() - 30 * 86_400_000);
  const credits = await creditsOfKeys(lifecycle.db, { accountId, since });
  const items = page.items.map((key) => keyView(key, { credits30Days: credits.get(key.id) ?? 0 }));
  return { body: { items, next_cursor: page.nextCursor } };
}

export async function deleteKey(
  { lifecycle, keys }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const keyId = request.params.id!;
  await lifecycle.db.transaction(async (tx) => {
    await revokeKey(tx, keyId);
    await recordAudit(tx, { actor: request.actor, action: 'key.revoke', subject: keyId });
  });
  keys.invalidate(keyId);
  return { status: 204 };
}

export async function postClose(
  { lifecycle, keys }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const account = await lifecycle.db.transaction(async (tx) => {
    const closedAccount = await closeAccount(tx, request.params.id!);
    await closeBalances(tx, closedAccount.id);
    await recordAudit(tx, {
      actor: request.actor,
      action: 'account.close',
      subject: closedAccount.id,
    });
    return closedAccount;
  });
  keys.invalidateAccount(account.id);
  return { body: await accountWithBalances(lifecycle, account) };
}

export async function postRotateSecret(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { keep_previous_seconds: keepPreviousSeconds = previousSecretSecondsDefault } = parseBody(
    RotateWebhookSecretRequest,
    request.body === undefined ? {} : request.body,
  );
  const account = await lifecycle.db.transaction(async (tx) => {
    const rotated = await rotateWebhookSecret(tx, request.params.id!, { keepPreviousSeconds });
    const detail = { keep_previous_seconds: keepPreviousSeconds };
    const action = 'webhook_secret.rotate';
    await recordAudit(tx, { actor: request.actor, action, subject: rotated.id, detail });
    return rotated;
  });
  return { body: await accountWithBalances(lifecycle, account) };
}

async function accountWithBalances(
  { db }: ApiServices['lifecycle'],
  account: Account,
  { includeSecret = true }: { includeSecret?: boolean } = {},
) {
  const found = await findBalances(db, [account.id]);
  const balances = found.get(account.id) ?? { live: emptyBalance, test: emptyBalance };
  return accountView(account, { balances, includeSecret });
}

/** A key that has expired before it was minted can only be a mistake. */
function parseFutureTimestamp(value: string | number): Date {
  const timestamp = parseTimestamp(String(value));
  if (timestamp && timestamp.getTime() > nowMs()) return timestamp;
  throw new ApiError(
    'invalid_request',
    `expires_at must be in the future (got ${formatValue(value)})`,
  );
}

const accountClosed = (consequence: string): ApiError =>
  new ApiError('invalid_request', `The account is closed: ${consequence}.`);
