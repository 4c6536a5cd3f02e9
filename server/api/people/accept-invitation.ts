/** Accepts an invitation for a person: the only place where a one-time link grants a right. */
import { findDemoAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { addMember } from '../../accounts/people/membership.ts';
import type { OneTimeLink } from '../../accounts/people/one-time-link.ts';
import {
  grantAdministrator,
  hasAdministrator,
  type PersonIdentity,
} from '../../accounts/people/person.ts';
import type { Transaction } from '../../database/database.ts';

/**
 * Grants what the link was created for. The first administrator also becomes owner of the demo
 * account that the first run created.
 */
export async function acceptInvitation(
  tx: Transaction,
  link: OneTimeLink,
  person: PersonIdentity,
): Promise<PersonIdentity> {
  const { email: actor, id: personId } = person;
  const detail = { invited_by: link.createdBy };
  if (link.purpose === 'member') {
    const [accountId, role] = [link.accountId!, link.role!];
    await addMember(tx, { accountId, personId, role });
    const joinDetail = { ...detail, person: personId, role };
    await recordAudit(tx, { actor, action: 'member.join', subject: accountId, detail: joinDetail });
    return person;
  }
  const isFirst = !(await hasAdministrator(tx));
  await grantAdministrator(tx, personId);
  await recordAudit(tx, { actor, action: 'administrator.join', subject: personId, detail });
  const demo = isFirst ? await findDemoAccount(tx) : null;
  if (demo) await addMember(tx, { accountId: demo.id, personId, role: 'owner' });
  return { ...person, administrator: true };
}
