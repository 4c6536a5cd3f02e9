/** Replaces the recovery codes of the second factor. Requires a recent password and a code. */
import { recordAudit } from '../../accounts/audit-log.ts';
import { createRecoveryCodes, secondFactorKeys } from '../../accounts/people/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { codeRequest, recoveryCodesDescription, withCode } from './code-request.ts';
import { queueSecurityMail } from './queue-security-mail.ts';

export const replaceRecoveryCodes = endpoint({
  operationId: 'replaceRecoveryCodes',
  method: 'POST',
  path: '/session/second-factor/recovery-codes',
  summary: 'Create new recovery codes',
  description: 'The earlier ones no longer work.',
  auth: 'person',
  requiresConfirmation: true,
  ...codeRequest,
  responses: { 200: recoveryCodesDescription('The new codes, shown this once.') },
  async handler(services, request) {
    const codes = await withCode(services, request, async (tx, person) => {
      const action = 'person.replace_recovery_codes';
      await recordAudit(tx, { actor: person.email, action, subject: person.id });
      const change = { kind: 'recovery_codes_replaced' } as const;
      await queueSecurityMail(services, tx, { person, change });
      return await createRecoveryCodes(tx, secondFactorKeys(services.secret), person.id);
    });
    return { body: { codes } };
  },
});
