/**
 * Removes the link to the OpenID provider. Only administrators do: a person whom the provider locks
 * out must not go back to a password.
 */
import { ListedPerson } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { unlinkIdentities } from '../../accounts/people/identity.ts';
import { listPersonAccounts } from '../../accounts/people/membership.ts';
import { getPerson } from '../../accounts/people/person.ts';
import { endSessions } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { queueSecurityMail } from './queue-security-mail.ts';
import { listedPerson } from './samples.ts';
import { personView } from './views.ts';

export const unlinkIdentity = endpoint({
  operationId: 'unlinkIdentity',
  method: 'POST',
  path: '/admin/people/:id/unlink-identity',
  summary: 'Unlink a person’s sign-in by OpenID Connect',
  description:
    'For a person who linked the wrong login, or no longer has one. All their sessions end. They ' +
    'sign in with the password of before, or get one by a reset link. Without a linked login, ' +
    'nothing changes.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: {
      description: 'The person.',
      schema: ListedPerson,
      examples: { one: ['Unlinked', { ...listedPerson, single_sign_on: false }] },
    },
  },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { id: personId } = await getPerson(db, request.params.id!);
    const person = await request.transaction(async (tx) => {
      const wasLinked = await unlinkIdentities(tx, personId);
      const changed = await getPerson(tx, personId);
      if (!wasLinked) return changed;
      await endSessions(tx, { personId });
      const action = 'person.unlink_identity';
      await recordAudit(tx, { actor: request.actor, action, subject: personId });
      const change = { kind: 'identity_unlinked' } as const;
      await queueSecurityMail(services, tx, { person: changed, change });
      return changed;
    });
    return { body: personView(person, await listPersonAccounts(db, personId)) };
  },
});
