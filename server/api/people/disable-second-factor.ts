/** Disables the second factor. Requires a recent password and a code. */
import { CodeRequest } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { removeSecondFactor } from '../../accounts/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticateCode } from './authenticate-code.ts';
import { code as codeSample, tooManyPasswords, wrongCode } from './samples.ts';
import { requireSession } from './session-response.ts';

export const disableSecondFactor = endpoint({
  operationId: 'disableSecondFactor',
  method: 'POST',
  path: '/session/second-factor/disable',
  summary: 'Turn off two-factor authentication',
  description: 'The recovery codes no longer work.',
  auth: 'person',
  requiresConfirmation: true,
  body: CodeRequest,
  requestExamples: { one: ['A code of the app', { code: codeSample }] },
  responses: { 204: { description: 'Turned off.' } },
  errors: {
    invalid_request: 'code is required',
    invalid_api_key: wrongCode,
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { code } = parseBody(CodeRequest, request.body);
    const attempt = { sessionId: session.id };
    const proof = await authenticateCode(services, { person, code, attempt });
    await request.transaction(async (tx) => {
      await proof.accept(tx);
      await removeSecondFactor(tx, person.id);
      const action = 'person.disable_second_factor';
      await recordAudit(tx, { actor: person.email, action, subject: person.id });
    });
    return { status: 204 };
  },
});
