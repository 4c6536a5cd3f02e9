/**
 * Hands the API key of a confirmed login to the command line. The key is created here, in the name
 * of the person who confirmed. A response can be lost, so until the key is used another request
 * gets it with a new secret; the earlier secret is then invalid, and one machine has the key.
 */
import type { KeyObject } from 'node:crypto';
import { ApiError } from '@vidgen/contract/api-error.ts';
import { CollectLoginRequest, CollectLoginResponse } from '@vidgen/contract/cli-logins.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createApiKey, replaceUnusedKey } from '../../accounts/keys/api-key.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import { type ConfirmedLogin, collectCliLogin } from '../../accounts/people/cli-login.ts';
import type { Transaction } from '../../database/database.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { requireLoginLimit } from './login-limits.ts';
import { loginGone, startedLogin } from './samples.ts';

export const collectLogin = endpoint({
  parsesItself: true,
  operationId: 'collectLogin',
  method: 'POST',
  path: '/logins/collect',
  summary: 'Collect the key of a login',
  description:
    'Poll every `interval` seconds. If the response is lost, poll again: until the key is used, ' +
    'the response has a new key in place of the one before.',
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
    // Outside of the transaction, which a database of one connection would wait for.
    await services.keys.flushUsage();
    const { keyId, ...body } = await request.transaction((tx) =>
      collectKey(tx, { deviceCode: device_code, secret: services.secret }),
    );
    if (keyId !== undefined) services.keys.invalidate(keyId);
    return { body };
  },
});

/** `keyId` is the key whose earlier secret has become invalid. */
async function collectKey(
  tx: Transaction,
  { deviceCode, secret }: { deviceCode: string; secret: string },
): Promise<CollectLoginResponse & { readonly keyId?: string }> {
  const login = await collectCliLogin(tx, deviceCode);
  if (login === null) return { status: 'waiting' };
  const { accountId, mode, machine, address, confirmedBy, keyId } = login;
  const { id, name, permissions, key } = await issueKey(tx, login, keyPepper(secret));
  const detail = { name, mode, permissions, expires_at: null, login: { machine, address } };
  await recordAudit(tx, { actor: confirmedBy, action: 'key.create', subject: id, detail });
  const account = await getAccount(tx, accountId);
  const collected = { key, key_name: name, account_name: account.name, mode };
  return { status: 'confirmed', ...collected, ...(keyId === null ? {} : { keyId }) };
}

async function issueKey(tx: Transaction, login: ConfirmedLogin, pepper: KeyObject) {
  const { accountId, mode, machine, confirmedBy, keyId } = login;
  if (keyId === null) {
    const name = `Command line on ${machine}`;
    return await createApiKey(tx, { pepper, accountId, mode, name, createdBy: confirmedBy });
  }
  const replaced = await replaceUnusedKey(tx, { keyId, mode, pepper });
  if (!replaced) throw new ApiError('not_found', loginGone);
  return replaced;
}
