/** Changes the person's password and ends all their other sessions. */
import { ChangePasswordRequest } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { revokePasswordLinks } from '../../accounts/people/one-time-link.ts';
import { hashPassword } from '../../accounts/people/password.ts';
import { setPasswordHash } from '../../accounts/people/person.ts';
import { endSessions, rotateSession } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticatePassword, wrongPassword } from './authenticate-password.ts';
import { queueSecurityMail } from './queue-security-mail.ts';
import { tooManyPasswords } from './samples.ts';
import { requireSession, sessionResponse, signedInDescription } from './session-response.ts';

export const changePassword = endpoint({
  parsesItself: true,
  operationId: 'changePassword',
  method: 'POST',
  path: '/session/password',
  summary: 'Change your password',
  description: 'All other sessions of the person end.',
  auth: 'person',
  body: ChangePasswordRequest,
  requestExamples: {
    one: [
      'Old and new',
      { current_password: 'a boat of folded paper', new_password: 'a kite of rice paper' },
    ],
  },
  responses: { 200: signedInDescription('Changed.') },
  errors: {
    invalid_request: 'new_password must have at least 12 characters',
    invalid_api_key: 'Incorrect password.',
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const { person, session, token } = requireSession(request);
    const body = parseBody(ChangePasswordRequest, request.body);
    const { email, id: personId } = person;
    const proof = await authenticatePassword(services, request, {
      email,
      password: body.current_password,
      failureMessage: wrongPassword,
      sessionId: session.id,
    });
    const passwordHash = await hashPassword(body.new_password);
    const rotated = await request.transaction(async (tx) => {
      await proof.accept(tx);
      await setPasswordHash(tx, { personId, passwordHash });
      await endSessions(tx, { personId, except: session.id });
      await revokePasswordLinks(tx, personId);
      await recordAudit(tx, { actor: email, action: 'person.change_password', subject: personId });
      await queueSecurityMail(services, tx, { person, change: { kind: 'password_changed' } });
      return await rotateSession(tx, token, { confirms: true });
    });
    return await sessionResponse(services, request, { person, session: rotated });
  },
});
