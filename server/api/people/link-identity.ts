/**
 * Starts the linking of an identity at the OpenID provider. A person with a second factor gives a
 * code, too: the identity will sign them in without one.
 */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { LinkIdentityRequest } from '@vidgen/contract/sign-in.ts';
import { hasSecondFactor } from '../../accounts/people/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticateCode } from './authenticate-code.ts';
import { startErrors, startedDescription, startFlow } from './openid-flow.ts';
import { code as codeSample } from './samples.ts';
import { requireSession } from './session-response.ts';

export const linkIdentity = endpoint({
  parsesItself: true,
  operationId: 'linkIdentity',
  method: 'POST',
  path: '/session/identity',
  summary: 'Link sign-in by OpenID Connect',
  description: 'With two-factor authentication, a code is required.',
  auth: 'person',
  requiresConfirmation: true,
  body: LinkIdentityRequest,
  requestExamples: { one: ['With a code', { code: codeSample }] },
  responses: { 200: startedDescription },
  errors: startErrors,
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { code } = parseBody(LinkIdentityRequest, request.body);
    if (await hasSecondFactor(services.lifecycle.db, person.id)) {
      if (code === undefined) throw new ApiError('invalid_request', 'code is required');
      const attempt = { personId: person.id, sessionId: session.id };
      const proof = await authenticateCode(services, { person, code, attempt });
      await request.transaction((tx) => proof.accept(tx));
    }
    return await startFlow(services, request, { kind: 'link', sessionId: session.id });
  },
});
