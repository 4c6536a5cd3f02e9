/** Starts a login of the command line, which a member confirms in the dashboard. */
import { StartLoginRequest, StartLoginResponse } from '@vidgen/contract/cli-logins.ts';
import { createCliLogin, loginSeconds } from '../../accounts/people/cli-login.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { requireLoginLimit } from './login-limits.ts';
import { startedLogin } from './samples.ts';

const collectSeconds = 2;

export const startLogin = endpoint({
  parsesItself: true,
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
    201: {
      description: 'The codes, and where to confirm.',
      schema: StartLoginResponse,
      examples: { one: ['Waiting for a member', startedLogin] },
    },
  },
  errors: {
    invalid_request: 'machine is required',
    rate_limited: 'Rate limit of 10 started logins per minute exceeded; retry in 12 seconds.',
    internal_error: true,
  },
  async handler(services, request) {
    const { machine } = parseBody(StartLoginRequest, request.body);
    requireLoginLimit(services, request, 'started logins');
    const address = request.remoteAddress() ?? 'unknown';
    const login = await request.transaction((tx) =>
      createCliLogin(tx, { machine: printableName(machine), address }),
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
