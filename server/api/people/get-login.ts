/** Returns which machine waits with a code, so that a person can judge it before confirming. */
import { LoginParams, WaitingLogin } from '@vidgen/contract/cli-logins.ts';
import { getOpenLogin } from '../../accounts/people/cli-login.ts';
import { clientNetwork } from '../../accounts/people/client-network.ts';
import { endpoint } from '../http/endpoint.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { requireLoginLimit } from './login-limits.ts';
import { loginGone, waitingLogin } from './samples.ts';

export const getLogin = endpoint({
  operationId: 'getLogin',
  method: 'GET',
  path: '/logins/:code',
  summary: 'Get a login of the command line',
  auth: 'person',
  params: LoginParams,
  responses: {
    200: {
      description: 'The machine, as it describes itself, and where it asked from.',
      schema: WaitingLogin,
      examples: { one: ['A laptop', waitingLogin] },
    },
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
