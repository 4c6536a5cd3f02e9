/** Disables the second factor. Requires a recent password and a code. */
import { recordAudit } from '../../accounts/audit-log.ts';
import { removeSecondFactor } from '../../accounts/people/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { codeRequest, withCode } from './code-request.ts';
import { queueSecurityMail } from './queue-security-mail.ts';

export const disableSecondFactor = endpoint({
  operationId: 'disableSecondFactor',
  method: 'POST',
  path: '/session/second-factor/disable',
  summary: 'Turn off two-factor authentication',
  description: 'The recovery codes no longer work.',
  auth: 'person',
  requiresConfirmation: true,
  ...codeRequest,
  responses: { 204: { description: 'Turned off.' } },
  async handler(services, request) {
    await withCode(services, request, async (tx, person) => {
      await removeSecondFactor(tx, person.id);
      const action = 'person.disable_second_factor';
      await recordAudit(tx, { actor: person.email, action, subject: person.id });
      await queueSecurityMail(services, tx, { person, change: { kind: 'second_factor_disabled' } });
    });
    return { status: 204 };
  },
});
