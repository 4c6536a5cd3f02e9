/** People, sessions, memberships and links as JSON (contract/people.ts). */
import type {
  CreatedInvitation,
  Invitation,
  LinkResponse,
  ListedPerson,
  Member as MemberView,
  SessionResponse,
} from '@vidgen/contract/people.ts';
import { listPersonAccounts, type Member } from '../../accounts/people/membership.ts';
import { linkUrl, type OneTimeLink } from '../../accounts/people/one-time-link.ts';
import type { Person, PersonAccount } from '../../accounts/people/person.ts';
import type { AuthenticatedSession } from '../../accounts/people/session.ts';
import type { ApiServices } from '../http/handler.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';

export async function sessionView(
  { lifecycle: { db }, messages }: ApiServices,
  { person, session }: AuthenticatedSession,
): Promise<SessionResponse> {
  return {
    person: {
      id: person.id,
      email: person.email,
      name: person.name,
      administrator: person.administrator,
    },
    accounts: await listPersonAccounts(db, person.id),
    sends_mail: messages.mailer !== null,
    session: {
      id: session.id,
      created_at: unixSeconds(session.createdAt),
      expires_at: unixSeconds(session.expiresAt),
      confirmed_until: unixSeconds(session.confirmedUntil),
    },
  };
}

export const linkView = (link: OneTimeLink): LinkResponse => ({
  purpose: link.purpose,
  account_name: link.accountName,
  role: link.role,
  email: link.email ?? link.invitedEmail,
  expires_at: unixSeconds(link.expiresAt),
});

export const invitationView = (link: OneTimeLink): Invitation => ({
  id: link.id,
  purpose: link.purpose,
  role: link.role,
  email: link.invitedEmail,
  invited_by: link.createdBy,
  created_at: unixSeconds(link.createdAt),
  expires_at: unixSeconds(link.expiresAt),
});

export const createdInvitationView = (
  { publicUrl }: ApiServices,
  link: OneTimeLink & { token: string },
  { emailed }: { readonly emailed: boolean },
): CreatedInvitation => ({ ...invitationView(link), link: linkUrl(publicUrl(), link), emailed });

export const memberView = (member: Member): MemberView => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  created_at: unixSeconds(member.createdAt),
  last_seen_at: unixSecondsOrNull(member.lastSeenAt),
});

export const personView = (person: Person, accounts: readonly PersonAccount[]): ListedPerson => ({
  id: person.id,
  email: person.email,
  name: person.name,
  administrator: person.administrator,
  created_at: unixSeconds(person.createdAt),
  last_seen_at: unixSecondsOrNull(person.lastSeenAt),
  closed_at: unixSecondsOrNull(person.closedAt),
  second_factor: person.hasSecondFactor,
  single_sign_on: person.hasIdentity,
  accounts: [...accounts],
});
