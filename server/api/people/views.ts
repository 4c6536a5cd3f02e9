/** What people are shown of people, their sessions, memberships and links (contract/people.ts). */
import type {
  CreatedInvitation,
  Invitation,
  LinkResponse,
  ListedPerson,
  Member as MemberView,
  SessionResponse,
} from '@vidgen/contract/people.ts';
import { listPersonAccounts, type Member } from '../../accounts/membership.ts';
import type { OneTimeLink } from '../../accounts/one-time-link.ts';
import type { Person, PersonAccount } from '../../accounts/person.ts';
import type { AuthenticatedSession } from '../../accounts/session.ts';
import type { ApiServices } from '../http/handler.ts';

export const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);
const secondsOrNull = (at: Date | null): number | null => (at === null ? null : seconds(at));

export async function sessionView(
  { lifecycle: { db } }: ApiServices,
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
    session: {
      id: session.id,
      created_at: seconds(session.createdAt),
      expires_at: seconds(session.expiresAt),
      confirmed_until: seconds(session.confirmedUntil),
    },
  };
}

export const linkView = (link: OneTimeLink): LinkResponse => ({
  purpose: link.purpose,
  account_name: link.accountName,
  role: link.role,
  email: link.email,
  expires_at: seconds(link.expiresAt),
});

export const invitationView = (link: OneTimeLink): Invitation => ({
  id: link.id,
  purpose: link.purpose,
  role: link.role,
  invited_by: link.createdBy,
  created_at: seconds(link.createdAt),
  expires_at: seconds(link.expiresAt),
});

/** The token stands behind the #: browsers send it to nobody, and no log has it. */
export const linkUrl = (
  publicUrl: string,
  { purpose, token }: Pick<OneTimeLink, 'purpose'> & { token: string },
): string => `${publicUrl}/dashboard/${purpose === 'password' ? 'reset' : 'join'}#${token}`;

export const createdInvitationView = (
  { publicUrl }: ApiServices,
  link: OneTimeLink & { token: string },
): CreatedInvitation => ({ ...invitationView(link), link: linkUrl(publicUrl(), link) });

export const memberView = (member: Member): MemberView => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  created_at: seconds(member.createdAt),
  last_seen_at: secondsOrNull(member.lastSeenAt),
});

export const personView = (person: Person, accounts: readonly PersonAccount[]): ListedPerson => ({
  id: person.id,
  email: person.email,
  name: person.name,
  administrator: person.administrator,
  created_at: seconds(person.createdAt),
  last_seen_at: secondsOrNull(person.lastSeenAt),
  closed_at: secondsOrNull(person.closedAt),
  accounts: [...accounts],
});
