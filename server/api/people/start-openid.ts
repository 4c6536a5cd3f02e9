/** Starts a sign-in at the OpenID provider, or the acceptance of an invitation there. */
import { StartOpenIdRequest } from '@vidgen/contract/sign-in.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { startErrors, startedDescription, startFlow } from './openid-flow.ts';

export const startOpenId = endpoint({
  parsesItself: true,
  operationId: 'startOpenId',
  method: 'POST',
  path: '/session/openid',
  summary: 'Sign in by OpenID Connect',
  description:
    'The first sign-in needs an invitation: `link`, or one that was sent to the verified email ' +
    'address. People who have a password link the provider in their profile instead.',
  auth: 'none',
  optionalSession: true,
  body: StartOpenIdRequest,
  requestExamples: { one: ['Return to a page', { to: '/profile' }] },
  responses: { 200: startedDescription },
  errors: startErrors,
  async handler(services, request) {
    const { to = null, link = null } = parseBody(StartOpenIdRequest, request.body);
    return await startFlow(services, request, { kind: 'sign_in', to, link });
  },
});
