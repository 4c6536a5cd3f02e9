/** API keys of an account: create, list, cap and revoke them. */
import { SetSpendingCapRequest } from '@vidgen/contract/account-controls.ts';
import {
  ApiKey as ApiKeyView,
  CreateApiKeyRequest,
  CreatedApiKey,
  ListKeysQuery,
  ListKeysResponse,
} from '@vidgen/contract/admin-accounts.ts';
import { notFound } from '@vidgen/contract/api-error.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import * as apiKeys from '../../accounts/keys/api-key.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import { findKeySpending, type KeySpending } from '../../accounts/keys/key-spending.ts';
import { setSpendingCap } from '../../lifecycle/create/create-limits.ts';
import { nowMs } from '../../process/clock.ts';
import { creditsOfKeys } from '../../tasks/usage.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { listDescription } from '../http/list-response.ts';
import { accountId, createdAt, keyId } from '../http/samples.ts';
import { parseExpiry, unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { getOpenAccount } from './account-response.ts';

const keySample = {
  id: keyId,
  account_id: accountId,
  name: 'Production',
  mode: 'live',
  permissions: ['videos:create', 'tasks:read', 'tasks:cancel', 'tasks:delete'],
  prefix: 'vg_live_4hG8',
  last_four: '9xTa',
  created_at: createdAt,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  created_by: 'ada@example.com',
  spend_cap: { credits: 500, period: 'day', used: 120, renews_at: createdAt + 3600 },
  credits_30_days: 2840,
};

export const createApiKey = endpoint({
  operationId: 'createApiKey',
  method: 'POST',
  path: '/admin/accounts/:id/keys',
  summary: 'Create an API key',
  description:
    'Only this response contains the key itself. A session confirms its password for a live key.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  body: CreateApiKeyRequest,
  requestExamples: {
    production: ['A live key', { name: 'Production', mode: 'live' }],
    reader: [
      'A read-only key that expires',
      {
        name: 'Reports',
        mode: 'live',
        permissions: ['tasks:read'],
        expires_at: '2026-12-31T23:59:59Z',
      },
    ],
  },
  responses: {
    201: jsonResponse('The key, which is not shown again.', CreatedApiKey, {
      key: ['A new key', { ...keySample, key: 'vg_live_4hG8…9xTa' }],
    }),
  },
  errors: { invalid_request: 'mode must be one of live, test (got "prod")' },
  async handler({ lifecycle: { db }, secret }, request) {
    const { params, body, actor, transaction } = request;
    if (body.mode === 'live') await request.requireConfirmation();
    const { id: accountId } = await getOpenAccount(db, params.id!, 'keys cannot be created');
    const { expires_at, spend_cap, ...options } = body;
    const expiresAt = parseExpiry(expires_at);
    const { row, spending } = await transaction(async (tx) => {
      const newKey = { accountId, ...options, expiresAt, createdBy: actor };
      const row = await apiKeys.createApiKey(tx, { pepper: keyPepper(secret), ...newKey });
      const spending = spend_cap ? await setSpendingCap(tx, row, spend_cap) : null;
      const { name, mode } = options;
      const detail = { name, mode, permissions: row.permissions, expires_at: expiresAt, spend_cap };
      await recordAudit(tx, { actor, action: 'key.create', subject: row.id, detail });
      return { row, spending };
    });
    const view = keyView(row, { credits30Days: 0, spending });
    return { status: 201, body: { ...view, key: row.key } };
  },
});

const listKeys = endpoint({
  operationId: 'listKeys',
  method: 'GET',
  path: '/admin/accounts/:id/keys',
  summary: 'List API keys',
  description: 'Includes revoked and expired keys, without the keys themselves.',
  auth: 'member',
  role: 'viewer',
  query: ListKeysQuery,
  responses: { 200: listDescription(ListKeysResponse, keySample) },
  async handler({ lifecycle: { db } }, { params, query }) {
    const { id: accountId } = await getAccount(db, params.id!);
    const page = await apiKeys.listKeys(db, { accountId, ...query });
    const credits = await creditsOfKeys(db, { accountId, since: thirtyDaysAgo() });
    const keyIds = page.items.map(({ id }) => id);
    const spending = await findKeySpending(db, keyIds);
    const items = page.items.map((key) =>
      keyView(key, {
        credits30Days: credits.get(key.id) ?? 0,
        spending: spending.get(key.id) ?? null,
      }),
    );
    return { body: { items, next_cursor: page.nextCursor } };
  },
});

const setSpendCap = endpoint({
  operationId: 'setSpendingCap',
  method: 'POST',
  path: '/admin/keys/:id/spending-cap',
  summary: 'Set the spending cap of a key',
  description:
    'A create that would exceed the cap returns 402. Reservations count until they are refunded, ' +
    'and so does what the key has already used in the period.',
  auth: 'member',
  role: 'owner',
  requiresConfirmation: true,
  body: SetSpendingCapRequest,
  requestExamples: {
    daily: ['500 credits per day', { spend_cap: { credits: 500, period: 'day' } }],
    none: ['No cap', { spend_cap: null }],
  },
  responses: {
    200: jsonResponse('The key with its cap.', ApiKeyView, { capped: ['With a cap', keySample] }),
  },
  errors: { invalid_request: 'spend_cap.credits must be at least 0 (got -5)' },
  async handler({ lifecycle: { db } }, { params, body, actor, transaction }) {
    const [key] = await apiKeys.findKeys(db, [params.id!]);
    if (!key) throw notFound('No API key found with this ID.');
    const spending = await transaction(async (tx) => {
      const changed = await setSpendingCap(tx, key, body.spend_cap);
      await recordAudit(tx, { actor, action: 'key.spending_cap', subject: key.id, detail: body });
      return changed;
    });
    const credits = await creditsOfKeys(db, { accountId: key.accountId, since: thirtyDaysAgo() });
    return { body: keyView(key, { credits30Days: credits.get(key.id) ?? 0, spending }) };
  },
});

export const revokeKey = endpoint({
  operationId: 'revokeKey',
  method: 'DELETE',
  path: '/admin/keys/:id',
  summary: 'Revoke an API key',
  description: 'The key is rejected by this process at once, and everywhere within 5 seconds.',
  auth: 'member',
  role: 'developer',
  responses: { 204: { description: 'The key is revoked.' } },
  async handler({ keys }, { params, actor, transaction }) {
    const keyId = params.id!;
    await transaction(async (tx) => {
      await apiKeys.revokeKey(tx, keyId);
      await recordAudit(tx, { actor, action: 'key.revoke', subject: keyId });
    });
    keys.invalidate(keyId);
    return { status: 204 };
  },
});

const thirtyDaysAgo = (): Date => new Date(nowMs() - 30 * 86_400_000);

export function keyView(
  key: apiKeys.ApiKey,
  { credits30Days, spending }: { credits30Days: number; spending: KeySpending | null },
): ApiKeyView {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    mode: key.mode,
    permissions: [...key.permissions],
    prefix: key.prefix,
    last_four: key.lastFour,
    created_at: unixSeconds(key.createdAt),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: unixSecondsOrNull(key.revokedAt),
    last_used_at: unixSecondsOrNull(key.lastUsedAt),
    created_by: key.createdBy,
    spend_cap: spending && {
      credits: spending.cap,
      period: spending.period,
      used: spending.used,
      renews_at: unixSecondsOrNull(spending.renewsAt),
    },
    credits_30_days: credits30Days,
  };
}

export const keyEndpoints = [createApiKey, listKeys, setSpendCap, revokeKey];
