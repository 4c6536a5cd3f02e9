/** Creates an API key. Only this response contains the key itself. */
import { CreateApiKeyRequest, CreatedApiKey } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createApiKey as createApiKeyRow } from '../../accounts/keys/api-key.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import { setSpendingCap } from '../../lifecycle/create/create-limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { parseExpiry } from '../http/timestamps.ts';
import { accountClosed } from './account-response.ts';
import { apiKey } from './samples.ts';
import { keyView } from './views.ts';

export const createApiKey = endpoint({
  parsesItself: true,
  operationId: 'createApiKey',
  method: 'POST',
  path: '/admin/accounts/:id/keys',
  summary: 'Create an API key',
  description: 'Only this response contains the key itself.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  requiresConfirmation: true,
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
    201: {
      description: 'The key, which is not shown again.',
      schema: CreatedApiKey,
      examples: { key: ['A new key', { ...apiKey, key: 'vg_live_4hG8…9xTa' }] },
    },
  },
  errors: { invalid_request: 'mode must be one of live, test (got "prod")' },
  async handler({ lifecycle: { db }, secret }, { params, body, actor, transaction }) {
    const { id: accountId, closedAt } = await getAccount(db, params.id!);
    const { expires_at, spend_cap, ...request } = parseBody(CreateApiKeyRequest, body);
    const { spending_cap = spend_cap ?? null, ...options } = request;
    if (spend_cap && request.spending_cap) {
      throw new ApiError('invalid_request', 'Send spending_cap or spend_cap, not both.');
    }
    if (closedAt) throw accountClosed('The account is closed; keys cannot be created.');
    const expiresAt = parseExpiry(expires_at);
    const created = await transaction(async (tx) => {
      const newKey = { accountId, ...options, expiresAt, createdBy: actor };
      const row = await createApiKeyRow(tx, { pepper: keyPepper(secret), ...newKey });
      const { name, mode } = options;
      const spending = spending_cap && (await setSpendingCap(tx, row, spending_cap));
      const detail = {
        ...{ name, mode, permissions: row.permissions, expires_at: expiresAt },
        ...(spending_cap && { spending_cap }),
      };
      await recordAudit(tx, { actor, action: 'key.create', subject: row.id, detail });
      return { row, spending };
    });
    const { row, spending } = created;
    const view = keyView(row, { credits30Days: 0, spending });
    return { status: 201, body: { ...view, key: row.key } };
  },
});
