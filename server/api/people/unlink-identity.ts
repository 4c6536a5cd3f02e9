/** Removes the link to the OpenID provider. Only for people who can sign in with a password. */
import { recordAudit } from '../../accounts/audit-log.ts';
import { unlinkIdentity as unlinkIdentityRow } from '../../accounts/identity.ts';
import { readPasswordHash } from '../../accounts/person.ts';
import { ApiError } from '../../api-error.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireOpenId } from './openid-flow.ts';
import { queueSecurityMail } from './queue-security-mail.ts';
import { requireSession } from './session-response.ts';

const noPassword = 'You have no password to sign in with; set one with a reset link first.';

export const unlinkIdentity = endpoint({
  operationId: 'unlinkIdentity',
  method: 'DELETE',
  path: '/session/identity',
  summary: 'Unlink sign-in by OpenID Connect',
  auth: 'person',
  requiresConfirmation: true,
  responses: { 204: { description: 'It is not linked.' } },
  errors: { invalid_request: noPassword },
  async handler(services, request) {
    const { person } = requireSession(request);
    const { issuer, name: provider } = requireOpenId(services).settings;
    await request.transaction(async (tx) => {
      if ((await readPasswordHash(tx, person.id, { lock: true })) === null) {
        throw new ApiError('invalid_request', noPassword);
      }
      if (!(await unlinkIdentityRow(tx, { personId: person.id, issuer }))) return;
      await recordAudit(tx, {
        actor: person.email,
        action: 'person.unlink_identity',
        subject: person.id,
        detail: { issuer },
      });
      const change = { kind: 'identity_unlinked', provider } as const;
      await queueSecurityMail(services, tx, { person, change });
    });
    return { status: 204 };
  },
});
