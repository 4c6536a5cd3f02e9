/** Replaces the recovery codes of the second factor. Requires a recent password and a code. */
import { CodeRequest, RecoveryCodesResponse } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { createRecoveryCodes, secondFactorKeys } from '../../accounts/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { authenticateCode } from './authenticate-code.ts';
import { code as codeSample, recoveryCodes, tooManyPasswords, wrongCode } from './samples.ts';
import { requireSession } from './session-response.ts';

export const replaceRecoveryCodes = endpoint({
  operationId: 'replaceRecoveryCodes',
  method: 'POST',
  path: '/session/second-factor/recovery-codes',
  summary: 'Create new recovery codes',
  description: 'The earlier ones no longer work.',
  auth: 'person',
  requiresConfirmation: true,
  body: CodeRequest,
  requestExamples: { one: ['A code of the app', { code: codeSample }] },
  responses: {
    200: {
      description: 'The new codes, shown this once.',
      schema: RecoveryCodesResponse,
      examples: { one: ['Ten codes', recoveryCodes] },
    },
  },
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
    const codes = await request.transaction(async (tx) => {
      await proof.accept(tx);
      const action = 'person.replace_recovery_codes';
      await recordAudit(tx, { actor: person.email, action, subject: person.id });
      return await createRecoveryCodes(tx, secondFactorKeys(services.secret), person.id);
    });
    return { body: { codes } };
  },
});
