/**
 * Logins of the command line: a machine shows a code, a member confirms it in the dashboard, and
 * the machine collects an API key.
 */
import type { KeyObject } from 'node:crypto';
import { notFound } from '@vidgen/contract/api-error.ts';
import {
  CollectLoginRequest,
  CollectLoginResponse,
  ConfirmLoginRequest,
  LoginParams,
  StartLoginRequest,
  StartLoginResponse,
  WaitingLogin,
} from '@vidgen/contract/cli-logins.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createApiKey, replaceUnusedKey } from '../../accounts/keys/api-key.ts';
import { keyPepper } from '../../accounts/keys/api-key-format.ts';
import {
  type ConfirmedLogin,
  collectCliLogin,
  confirmCliLogin,
  createCliLogin,
  getOpenLogin,
  loginSeconds,
} from '../../accounts/people/cli-login.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import type { Transaction } from '../../database/database.ts';
import { getOpenAccount } from '../accounts/account-response.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { enforceCallerLimit } from '../http/enforce-rate-limit.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { createdAt } from '../http/samples.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { token } from './samples.ts';

const collectSeconds = 2;
const loginGone = 'No login with this code is waiting; it was used or has expired. Start again.';

const startedLogin = {
  device_code: token,
  code: 'BCDF-GHJK',
  url: 'https://videos.example.com/dashboard/login?code=BCDF-GHJK',
  expires_in: 600,
  interval: 2,
};
const waitingLogin = {
  code: startedLogin.code,
  machine: 'ada-laptop',
  address: '192.0.2.17',
  is_same_network: true,
  created_at: createdAt,
  expires_at: createdAt + 600,
};

const startLogin = endpoint({
  operationId: 'startLogin',
  method: 'POST',
  path: '/logins',
  summary: 'Start a login of the command line',
  description:
    'Nothing is granted until a member of an account confirms the code at `url`. A login lasts ' +
    'ten minutes and is good for one key. At most 10 per minute and network.',
  auth: 'none',
  body: StartLoginRequest,
  requestExamples: { one: ['A laptop', { machine: 'ada-laptop' }] },
  responses: {
    201: jsonResponse('The codes, and where to confirm.', StartLoginResponse, {
      one: ['Waiting for a member', startedLogin],
    }),
  },
  errors: {
    invalid_request: 'machine is required',
    rate_limited: 'Rate limit of 10 started logins per minute exceeded; retry in 12 seconds.',
    internal_error: true,
  },
  async handler(services, request) {
    requireLoginLimit(services, request, 'started logins');
    const address = request.remoteAddress() ?? 'unknown';
    const login = await request.transaction((tx) =>
      createCliLogin(tx, { machine: printableName(request.body.machine), address }),
    );
    const body: StartLoginResponse = {
      device_code: login.deviceCode,
      code: login.code,
      url: `${services.publicUrl()}/dashboard/login?code=${login.code}`,
      expires_in: loginSeconds,
      interval: collectSeconds,
    };
    return { status: 201, body };
  },
});

/** Without control and direction characters, which could make a name look like another. */
const printableName = (name: string): string =>
  name.replace(/\p{C}/gu, '').trim() || 'a machine without a name';

/** For a person who judges the machine before confirming it. */
const getLogin = endpoint({
  operationId: 'getLogin',
  method: 'GET',
  path: '/logins/:code',
  summary: 'Get a login of the command line',
  auth: 'person',
  params: LoginParams,
  responses: {
    200: jsonResponse(
      'The machine, as it describes itself, and where it asked from.',
      WaitingLogin,
      { one: ['A laptop', waitingLogin] },
    ),
  },
  errors: {
    not_found: loginGone,
    rate_limited: 'Rate limit of 30 entered codes per minute exceeded; retry in 12 seconds.',
  },
  async handler(services, request) {
    requireLoginLimit(services, request, 'entered codes');
    const login = await getOpenLogin(services.lifecycle.db, request.params.code!);
    const body: WaitingLogin = {
      code: login.code,
      machine: login.machine,
      address: login.address,
      is_same_network: clientNetwork(login.address) === clientNetwork(request.remoteAddress()),
      created_at: unixSeconds(login.createdAt),
      expires_at: unixSeconds(login.expiresAt),
    };
    return { body };
  },
});

const confirmLogin = endpoint({
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
    const { code, mode } = body;
    requireLoginLimit(services, request, 'entered codes');
    const { db } = services.lifecycle;
    const { id: accountId } = await getOpenAccount(db, params.id!, 'keys cannot be created');
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

/**
 * Creates the key, in the name of the person who confirmed. A response can be lost, so until the
 * key is used another request gets it with a new secret; the earlier secret is then invalid, and
 * one machine has the key.
 */
const collectLogin = endpoint({
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
    200: jsonResponse('The key, or that no member has confirmed yet.', CollectLoginResponse, {
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
    }),
  },
  errors: {
    invalid_request: 'device_code is required',
    not_found: loginGone,
    rate_limited: 'Rate limit of 300 collected logins per minute exceeded; retry in 3 seconds.',
    internal_error: true,
  },
  async handler(services, request) {
    requireLoginLimit(services, request, 'collected logins');
    // Outside of the transaction, which a database of one connection would wait for.
    await services.keys.flushUsage();
    const { keyId, ...body } = await request.transaction((tx) =>
      collectKey(tx, { deviceCode: request.body.device_code, secret: services.secret }),
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
  if (!replaced) throw notFound(loginGone);
  return replaced;
}

/** Of a network, or of a signed-in person who enters a code. */
const limitsPerMinute = {
  'started logins': 10,
  // Every 2 seconds, by several machines of one network.
  'collected logins': 300,
  // Guessing one of 20^8 codes within ten minutes is hopeless at this rate.
  'entered codes': 30,
} as const;

function requireLoginLimit(
  services: ApiServices,
  { remoteAddress, person }: Pick<ApiRequest, 'remoteAddress' | 'person'>,
  purpose: keyof typeof limitsPerMinute,
): void {
  const caller = person?.id ?? clientNetwork(remoteAddress());
  const window = { name: purpose, requests: purpose, perMinute: limitsPerMinute[purpose] };
  enforceCallerLimit(services, caller, window);
}

export const cliLoginEndpoints = [startLogin, getLogin, confirmLogin, collectLogin];
