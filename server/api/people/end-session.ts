/** Ends one of the person's own sessions, for example on another device. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { endSession as endSessionRow } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { clearedCookie } from '../http/session-cookie.ts';
import { requireSession } from './session-response.ts';

export const endSession = endpoint({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/sessions/:id',
  summary: 'End a session',
  auth: 'person',
  responses: { 204: { description: 'It has ended.' } },
  errors: { not_found: 'No session found with this ID.' },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const sessionId = request.params.id!;
    const isEnded = await request.transaction((tx) =>
      endSessionRow(tx, { personId: person.id, sessionId }),
    );
    if (!isEnded) throw new ApiError('not_found', 'No session found with this ID.');
    const headers = sessionId === session.id ? clearedCookie(services.publicUrl()) : {};
    return { status: 204, headers };
  },
});
