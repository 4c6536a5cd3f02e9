/** Replaces the webhook secret. Webhooks are signed with both secrets for a while. */
import {
  Account,
  previousSecretSecondsDefault,
  RotateWebhookSecretRequest,
} from '@vidgen/contract/admin-accounts.ts';
import { rotateWebhookSecret as rotateSecret } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const rotateWebhookSecret = endpoint({
  parsesItself: true,
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/admin/accounts/:id/webhook-secret',
  summary: 'Rotate the webhook secret',
  description: 'For a while webhooks carry two signatures, so that receivers have time to switch.',
  auth: 'member',
  role: 'developer',
  requiresConfirmation: true,
  body: RotateWebhookSecretRequest,
  bodyIsOptional: true,
  requestExamples: {
    day: ['Both signatures for a day', { keep_previous_seconds: 86_400 }],
    leaked: ['The old secret has leaked', { keep_previous_seconds: 0 }],
  },
  responses: {
    200: {
      description: 'The account with its new secret.',
      schema: Account,
      examples: { account: ['With the new secret', account] },
    },
  },
  errors: { invalid_request: 'keep_previous_seconds must be at least 0 (got -1)' },
  async handler({ lifecycle: { db } }, { params, body, actor, isAdmin, transaction }) {
    const { keep_previous_seconds: keepPreviousSeconds = previousSecretSecondsDefault } = parseBody(
      RotateWebhookSecretRequest,
      body === undefined ? {} : body,
    );
    const rotated = await transaction(async (tx) => {
      const row = await rotateSecret(tx, params.id!, { keepPreviousSeconds });
      const detail = { keep_previous_seconds: keepPreviousSeconds };
      await recordAudit(tx, { actor, action: 'webhook_secret.rotate', subject: row.id, detail });
      return row;
    });
    return { body: await accountWithBalances(db, rotated, { isAdmin }) };
  },
});
