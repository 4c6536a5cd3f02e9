/** Deactivates a person: ends their sessions and revokes the links they created. */
import { ListedPerson } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { listPersonAccounts } from '../../accounts/people/membership.ts';
import { revokeLinksOfPerson, revokePasswordLinks } from '../../accounts/people/one-time-link.ts';
import { deactivatePerson as deactivatePersonRow } from '../../accounts/people/person.ts';
import { endSessions } from '../../accounts/people/session.ts';
import { endpoint } from '../http/endpoint.ts';
import { listedPerson } from './samples.ts';
import { personView } from './views.ts';

export const deactivatePerson = endpoint({
  operationId: 'closePerson',
  method: 'POST',
  path: '/admin/people/:id/close',
  summary: 'Deactivate a person',
  description: 'All sessions of the person end, and links the person made no longer work.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: {
      description: 'The closed person.',
      schema: ListedPerson,
      examples: {
        one: ['Closed', { ...listedPerson, closed_at: listedPerson.created_at + 7200 }],
      },
    },
  },
  errors: {
    invalid_request: 'You can’t deactivate the last administrator; invite another one first.',
  },
  async handler({ lifecycle: { db } }, request) {
    const person = await request.transaction(async (tx) => {
      // The admin token can always invite another administrator. A session could not.
      const keepLastAdmin = request.person !== undefined;
      const deactivated = await deactivatePersonRow(tx, request.params.id!, { keepLastAdmin });
      const { id: personId } = deactivated;
      await endSessions(tx, { personId });
      await revokeLinksOfPerson(tx, { personId });
      await revokePasswordLinks(tx, personId);
      await recordAudit(tx, { actor: request.actor, action: 'person.close', subject: personId });
      return deactivated;
    });
    return { body: personView(person, await listPersonAccounts(db, person.id)) };
  },
});
