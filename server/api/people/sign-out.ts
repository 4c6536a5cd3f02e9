/** Ends the session of the request and clears its cookie. */
import { endSession } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { clearedCookie } from '../http/session-cookie.ts';
import { requireSession } from './session-response.ts';

export const signOut = endpoint({
  operationId: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  auth: 'person',
  responses: { 204: { description: 'The session has ended.', headers: ['Set-Cookie'] } },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    await request.transaction((tx) =>
      endSession(tx, { personId: person.id, sessionId: session.id }),
    );
    return { status: 204, headers: clearedCookie(services.publicUrl()) };
  },
});
