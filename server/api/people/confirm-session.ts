/** Confirms the session by password. Requests for keys and money require it. */
import { ConfirmSessionRequest } from '@vidgen/contract/people.ts';
import { rotateSession } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticatePassword, wrongPassword } from './authenticate-password.ts';
import { tooManyPasswords } from './samples.ts';
import { requireSession, sessionResponse, signedInDescription } from './session-response.ts';

export const confirmSession = endpoint({
  parsesItself: true,
  operationId: 'confirmSession',
  method: 'POST',
  path: '/session/confirm',
  summary: 'Confirm a session with the password',
  description:
    'For ten minutes, the session can manage keys, credits and people. Its token is replaced.',
  auth: 'person',
  body: ConfirmSessionRequest,
  requestExamples: { one: ['The password', { password: 'a boat of folded paper' }] },
  responses: { 200: signedInDescription('Confirmed.') },
  errors: {
    invalid_request: 'password is required',
    invalid_api_key: 'Incorrect password.',
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const { person, session, token } = requireSession(request);
    const { password } = parseBody(ConfirmSessionRequest, request.body);
    const proof = await authenticatePassword(services, request, {
      email: person.email,
      password,
      failureMessage: wrongPassword,
      sessionId: session.id,
    });
    const rotated = await request.transaction(async (tx) => {
      await proof.accept(tx);
      return await rotateSession(tx, token, { confirms: true });
    });
    return await sessionResponse(services, request, { person, session: rotated });
  },
});
