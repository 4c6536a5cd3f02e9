/**
 * Hands the API key of a confirmed login to the command line, once. The key is created here, in the
 * name of the person who confirmed.
 */
import { CollectLoginRequest, CollectLoginResponse } from '@vidgen/contract/cli-logins.ts';
import { getAccount } from '../../accounts/account.ts';
import { createApiKey } from '../../accounts/api-key.ts';
import { keyPepper } from '../../accounts/api-key-format.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { collectCliLogin } from '../../accounts/cli-login.ts';
import type { Transaction } from '../../database/database.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { requireLoginLimit } from './login-limits.ts';
import { loginGone, startedLogin } from './samples.ts';

export const collectLogin = endpoint({
  operationId: 'collectLogin',
  method: 'POST',
  path: '/logins/collect',
  summary: 'Collect the key of a login',
  description: 'Ask every `interval` seconds. The key is in one answer only.',
  auth: 'none',
  body: CollectLoginRequest,
  requestExamples: { one: ['A login', { device_code: startedLogin.device_code }] },
  responses: {
    200: {
      description: 'The key, or that no member has confirmed yet.',
      schema: CollectLoginResponse,
      examples: {
        waiting: ['Nobody has confirmed yet', { status: 'waiting' }],
        confirmed: [
          'Confirmed',
          {
            status: 'confirmed',
            key: 'vg_test_4hG8…9xTa',
            key_name: 'Command line on ada-laptop',
            account_name: 'Paper Boat Studio',
            mode: 'test',
          },
        ],
      },
    },
  },
  errors: {
    invalid_request: 'device_code is required',
    not_found: loginGone,
    rate_limited: 'Rate limit of 300 collected logins per minute exceeded; retry in 3 seconds.',
    internal_error: true,
  },
  async handler(services, request) {
    const { device_code } = parseBody(CollectLoginRequest, request.body);
    requireLoginLimit(services, request, 'collected logins');
    const body = await request.transaction((tx) =>
      collectKey(tx, { deviceCode: device_code, secret: services.secret }),
    );
    return { body };
  },
});

async function collectKey(
  tx: Transaction,
  { deviceCode, secret }: { deviceCode: string; secret: string },
): Promise<CollectLoginResponse> {
  const login = await collectCliLogin(tx, deviceCode);
  if (login === null) return { status: 'waiting' };
  const { accountId, mode, machine, address, confirmedBy } = login;
  const name = `Command line on ${machine}`;
  const newKey = { accountId, mode, name, createdBy: confirmedBy };
  const { id, permissions, key } = await createApiKey(tx, { pepper: keyPepper(secret), ...newKey });
  const detail = { name, mode, permissions, expires_at: null, login: { machine, address } };
  await recordAudit(tx, { actor: confirmedBy, action: 'key.mint', subject: id, detail });
  const account = await getAccount(tx, accountId);
  return { status: 'confirmed', key, key_name: name, account_name: account.name, mode };
}
