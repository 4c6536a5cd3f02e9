/** Sets the URL that receives webhooks of tasks whose create names no callback URL. */
import { Account, SetWebhookUrlRequest } from '@vidgen/contract/admin-accounts.ts';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { setWebhookUrl as setUrl } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { accountWithBalances } from './account-response.ts';
import { account } from './samples.ts';

export const setWebhookUrl = endpoint({
  parsesItself: true,
  operationId: 'setWebhookUrl',
  method: 'POST',
  path: '/admin/accounts/:id/webhook-url',
  summary: 'Set the account’s webhook endpoint',
  description:
    'Used when a create names no `callback_url`, of any key and of the playground. It is stored ' +
    'with each task when the task is created: a change applies to tasks that are created later.',
  auth: 'member',
  role: 'developer',
  requiresConfirmation: true,
  body: SetWebhookUrlRequest,
  requestExamples: {
    endpoint: ['An endpoint', { url: 'https://hooks.example.com/vidgen' }],
    none: ['No endpoint', { url: null }],
  },
  responses: {
    200: {
      description: 'The account with its endpoint.',
      schema: Account,
      examples: { account: ['With an endpoint', account] },
    },
  },
  errors: { invalid_request: 'url must be an https URL' },
  async handler({ lifecycle: { db, egress } }, { params, body, actor, role, transaction }) {
    const { url } = parseBody(SetWebhookUrlRequest, body);
    const checked = url === null ? null : egress.check(url, 'callback');
    if (checked && !checked.ok) throw new ApiError('invalid_request', `url ${checked.rule}`);
    const changed = await transaction(async (tx) => {
      const row = await setUrl(tx, params.id!, url);
      await recordAudit(tx, { actor, action: 'webhook_url.set', subject: row.id, detail: { url } });
      return row;
    });
    const includeSecret = role !== 'viewer';
    return { body: await accountWithBalances(db, changed, { includeSecret }) };
  },
});
