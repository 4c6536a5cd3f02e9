/** Signs a person in by email address and password. */
import { SignInRequest } from '@vidgen/contract/people.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticatePassword } from './authenticate-password.ts';
import { tooManyPasswords } from './samples.ts';
import { pendingSignIn, secondStepDescription, secondStepResponse } from './second-step.ts';
import { sessionResponse, signedInDescription, startSession } from './session-response.ts';

const failureMessage = 'Incorrect email or password.';

export const signIn = endpoint({
  parsesItself: true,
  operationId: 'signIn',
  method: 'POST',
  path: '/session',
  summary: 'Sign in',
  description:
    'Wrong passwords are slowed down by person and by network. Only pages of this service can ' +
    'sign in.',
  auth: 'none',
  optionalSession: true,
  body: SignInRequest,
  requestExamples: {
    one: ['With a password', { email: 'ada@example.com', password: 'a boat of folded paper' }],
  },
  responses: {
    201: signedInDescription('Signed in; the cookie holds the session.'),
    202: secondStepDescription,
  },
  errors: {
    invalid_request: 'password is required',
    invalid_api_key: failureMessage,
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const attempt = { ...parseBody(SignInRequest, request.body), failureMessage };
    const proof = await authenticatePassword(services, request, attempt);
    const { person } = proof;
    const result = await services.lifecycle.db.transaction(async (tx) => {
      await proof.accept(tx);
      const pending = await pendingSignIn(services, tx, person.id);
      return pending ? { pending } : { session: await startSession(tx, request, person.id) };
    });
    if ('pending' in result) return secondStepResponse(services, result.pending);
    return await sessionResponse(services, request, { person, ...result, status: 201 });
  },
});
