/** Returns the signed-in person, their accounts and the session. */
import { endpoint } from '../http/endpoint.ts';
import { requireSession, sessionDescription } from './session-response.ts';
import { sessionView } from './views.ts';

export const getSession = endpoint({
  operationId: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Get the session',
  auth: 'person',
  responses: { 200: sessionDescription('The person, their accounts and the session.') },
  async handler(services, request) {
    return { body: await sessionView(services, requireSession(request)) };
  },
});
