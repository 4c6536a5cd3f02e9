/** Confirms a login of the command line: it then gets a key of the account. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { ConfirmLoginRequest } from '@vidgen/contract/cli-logins.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { confirmCliLogin } from '../../accounts/people/cli-login.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { requireLoginLimit } from './login-limits.ts';
import { startedLogin } from './samples.ts';

export const confirmLogin = endpoint({
  parsesItself: true,
  operationId: 'confirmLogin',
  method: 'POST',
  path: '/admin/accounts/:id/logins',
  summary: 'Confirm a login of the command line',
  description:
    'The machine that shows the code gets an API key with all permissions. Confirm only a login ' +
    'that you started yourself: the key goes to the machine that started it.',
  auth: 'member',
  role: 'developer',
  requiresActiveAccount: true,
  requiresConfirmation: true,
  body: ConfirmLoginRequest,
  requestExamples: { one: ['A test key', { code: startedLogin.code, mode: 'test' }] },
  responses: { 204: { description: 'Confirmed; the machine collects its key.' } },
  errors: { invalid_request: 'mode must be one of live, test (got "prod")', rate_limited: true },
  async handler(services, request) {
    const { params, body, actor, person, transaction } = request;
    const { code, mode } = parseBody(ConfirmLoginRequest, body);
    requireLoginLimit(services, request, 'entered codes');
    const { id: accountId, closedAt } = await getAccount(services.lifecycle.db, params.id!);
    if (closedAt) {
      throw new ApiError('invalid_request', 'The account is closed; keys cannot be created.');
    }
    await transaction(async (tx) => {
      const personId = person?.id ?? null;
      const confirmation = { code, accountId, mode, confirmedBy: actor, personId };
      const { machine, address } = await confirmCliLogin(tx, confirmation);
      const detail = { machine, address, mode };
      await recordAudit(tx, { actor, action: 'login.confirm', subject: accountId, detail });
    });
    return { status: 204 };
  },
});
