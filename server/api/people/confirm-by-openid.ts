/** Starts a confirmation of the session at the OpenID provider, which asks for its password. */
import { endpoint } from '../http/endpoint.ts';
import { startErrors, startedDescription, startFlow } from './openid-flow.ts';
import { requireSession } from './session-response.ts';

export const confirmByOpenId = endpoint({
  operationId: 'confirmByOpenId',
  method: 'POST',
  path: '/session/confirm/openid',
  summary: 'Confirm a session by OpenID Connect',
  description: 'For people without a password. The provider asks the person to sign in again.',
  auth: 'person',
  responses: { 200: startedDescription },
  errors: startErrors,
  async handler(services, request) {
    const { session } = requireSession(request);
    return await startFlow(services, request, { kind: 'confirm', sessionId: session.id });
  },
});
