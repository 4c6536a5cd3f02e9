/** Ends a sign-in with the code of the second factor, after the password. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { CodeRequest } from '@vidgen/contract/sign-in.ts';
import { getPerson } from '../../accounts/people/person.ts';
import { knownDevice } from '../http/device-cookie.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticateCode } from './authenticate-code.ts';
import { codeRequest } from './code-request.ts';
import { clearedSecondStep, passwordDigest, readSecondStep } from './second-step.ts';
import { sessionResponse, signedInDescription, startSession } from './session-response.ts';

const expired = () =>
  new ApiError('invalid_api_key', 'This sign-in has expired; enter your password again.');

export const enterCode = endpoint({
  operationId: 'enterCode',
  method: 'POST',
  path: '/session/code',
  summary: 'Enter a two-factor code',
  description:
    'Within ten minutes after the password, in the same browser. Wrong codes are slowed down.',
  auth: 'none',
  optionalSession: true,
  ...codeRequest,
  responses: { 201: signedInDescription('Signed in; the cookie holds the session.') },
  async handler(services, request) {
    const { code } = parseBody(CodeRequest, request.body);
    const pending = readSecondStep(services, request);
    if (pending === null) throw expired();
    const { db } = services.lifecycle;
    const person = await getPerson(db, pending.personId);
    const device = knownDevice(services, request, person.email);
    const attempt = { personId: person.id, knownDevice: device };
    const proof = await authenticateCode(services, { person, code, attempt });
    const session = await db.transaction(async (tx) => {
      // Also empty for a person who was closed or linked to the OpenID provider meanwhile.
      const digest = await passwordDigest(services, tx, person.id);
      if (digest !== pending.passwordDigest) throw expired();
      await proof.accept(tx);
      return await startSession(tx, request, person.id);
    });
    const response = await sessionResponse(services, request, { person, session, status: 201 });
    const cookies = [response.headers?.['set-cookie'] ?? [], clearedSecondStep(services)].flat();
    return { ...response, headers: { ...response.headers, 'set-cookie': cookies } };
  },
});
