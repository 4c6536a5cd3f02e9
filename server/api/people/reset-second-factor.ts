/** Removes the second factor of a person who lost the app and the recovery codes. */
import { ListedPerson } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { listPersonAccounts } from '../../accounts/people/membership.ts';
import { getPerson } from '../../accounts/people/person.ts';
import { removeSecondFactor } from '../../accounts/people/second-factor.ts';
import { endpoint } from '../http/endpoint.ts';
import { queueSecurityMail } from './queue-security-mail.ts';
import { listedPerson } from './samples.ts';
import { personView } from './views.ts';

export const resetSecondFactor = endpoint({
  operationId: 'resetSecondFactor',
  method: 'POST',
  path: '/admin/people/:id/reset-second-factor',
  summary: 'Turn off a person’s two-factor authentication',
  description:
    'For a person who lost their device and recovery codes. The password alone then signs them ' +
    'in, so make sure that the person is who they say. Without a second factor, nothing changes.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    200: {
      description: 'The person.',
      schema: ListedPerson,
      examples: { one: ['Turned off', { ...listedPerson, second_factor: false }] },
    },
  },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { id: personId } = await getPerson(db, request.params.id!);
    const person = await request.transaction(async (tx) => {
      const wasEnabled = await removeSecondFactor(tx, personId);
      const changed = await getPerson(tx, personId);
      if (!wasEnabled) return changed;
      const action = 'person.reset_second_factor';
      await recordAudit(tx, { actor: request.actor, action, subject: personId });
      const change = { kind: 'second_factor_reset' } as const;
      await queueSecurityMail(services, tx, { person: changed, change });
      return changed;
    });
    return { body: personView(person, await listPersonAccounts(db, personId)) };
  },
});
