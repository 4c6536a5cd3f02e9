/** Enables the second factor with a code of the enrolled app, and creates the recovery codes. */

import { ApiError } from '@vidgen/contract/api-error.ts';
import { CodeRequest } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import {
  createRecoveryCodes,
  enableSecondFactor as enableSecondFactorRow,
  secondFactorKeys,
} from '../../accounts/people/second-factor.ts';
import {
  clearPasswordAttempt,
  countPasswordAttempt,
} from '../../accounts/people/sign-in-throttle.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-request.ts';
import { codeRequest, recoveryCodesDescription } from './code-request.ts';
import { queueSecurityMail } from './queue-security-mail.ts';
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
  ...codeRequest,
  responses: { 200: recoveryCodesDescription('Enabled. The recovery codes are shown this once.') },
  errors: { ...codeRequest.errors, invalid_api_key: wrongCode },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { code } = parseBody(CodeRequest, request.body);
    const personId = person.id;
    const attempt = { personId, sessionId: session.id };
    await request.transaction((tx) => countPasswordAttempt(tx, attempt));
    const codes = await request.transaction(async (tx) => {
      const keys = secondFactorKeys(services.secret);
      const typed = code.replaceAll(/\s/g, '');
      if (!(await enableSecondFactorRow(tx, keys, { personId, code: typed }))) {
        throw new ApiError('invalid_api_key', wrongCode);
      }
      await clearPasswordAttempt(tx, attempt);
      const action = 'person.enable_second_factor';
      await recordAudit(tx, { actor: person.email, action, subject: personId });
      await queueSecurityMail(services, tx, { person, change: { kind: 'second_factor_enabled' } });
      return await createRecoveryCodes(tx, keys, personId);
    });
    return { body: { codes } };
  },
});
