/** Enables the second factor with a code of the enrolled app, and creates the recovery codes. */
import { CodeRequest, RecoveryCodesResponse } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import {
  createRecoveryCodes,
  enableSecondFactor as enableSecondFactorRow,
  secondFactorKeys,
} from '../../accounts/second-factor.ts';
import { clearPasswordAttempt, countPasswordAttempt } from '../../accounts/sign-in-throttle.ts';
import { ApiError } from '../../api-error.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { code as codeSample, recoveryCodes, tooManyPasswords } from './samples.ts';
import { requireSession } from './session-response.ts';

const wrongCode = 'Incorrect code; check the clock of your phone, or scan the QR code again.';

export const enableSecondFactor = endpoint({
  operationId: 'enableSecondFactor',
  method: 'POST',
  path: '/session/second-factor/enable',
  summary: 'Turn on two-factor authentication',
  description: 'From then on, sign-ins with the password need a code. Other sessions continue.',
  auth: 'person',
  requiresConfirmation: true,
  body: CodeRequest,
  requestExamples: { one: ['A code of the app', { code: codeSample }] },
  responses: {
    200: {
      description: 'Enabled. The recovery codes are shown this once.',
      schema: RecoveryCodesResponse,
      examples: { one: ['Ten codes', recoveryCodes] },
    },
  },
  errors: {
    invalid_request: 'code is required',
    invalid_api_key: wrongCode,
    rate_limited: tooManyPasswords,
  },
  async handler({ secret }, request) {
    const { person, session } = requireSession(request);
    const { code } = parseBody(CodeRequest, request.body);
    const personId = person.id;
    const attempt = { sessionId: session.id };
    await request.transaction((tx) => countPasswordAttempt(tx, attempt));
    const codes = await request.transaction(async (tx) => {
      const keys = secondFactorKeys(secret);
      const typed = code.replaceAll(/\s/g, '');
      if (!(await enableSecondFactorRow(tx, keys, { personId, code: typed }))) {
        throw new ApiError('invalid_api_key', wrongCode);
      }
      await clearPasswordAttempt(tx, attempt);
      const action = 'person.enable_second_factor';
      await recordAudit(tx, { actor: person.email, action, subject: personId });
      return await createRecoveryCodes(tx, keys, personId);
    });
    return { body: { codes } };
  },
});
