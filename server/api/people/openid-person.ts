/**
 * Which person an identity of the OpenID provider signs in as. A known identity is its person. A
 * new one becomes a new person, by an allowed domain or an invitation; it is never linked to an
 * existing person, whose email address it may only claim. No invitation keeps the people of a
 * domain from its account.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';
import type { OpenIdProblem } from '@vidgen/contract/sign-in.ts';
import { getAccount } from '../../accounts/account.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findPersonByIdentity, linkIdentity } from '../../accounts/people/identity.ts';
import { addMember } from '../../accounts/people/membership.ts';
import {
  consumeInvitationsFor,
  consumeLink,
  getValidLink,
  type OneTimeLink,
} from '../../accounts/people/one-time-link.ts';
import {
  createPerson,
  findByEmail,
  getPerson,
  lockPerson,
  normalizeEmail,
  type Person,
  type PersonIdentity,
} from '../../accounts/people/person.ts';
import type { OpenIdSettings } from '../../config/env-reader.ts';
import type { Transaction } from '../../database/database.ts';
import type { OpenIdClaims } from '../../openid/openid-client.ts';
import { acceptInvitation } from './invitations.ts';

/** A sign-in at the OpenID provider that ends without a session. The page says why. */
export class OpenIdError extends Error {
  override readonly name = 'OpenIdError';
  readonly problem: OpenIdProblem;
  constructor(problem: OpenIdProblem) {
    super(problem);
    this.problem = problem;
  }
}

type OpenIdSignIn = {
  readonly claims: OpenIdClaims;
  /** The token of an invitation that the person has opened. */
  readonly link: string | null;
  readonly settings: OpenIdSettings;
};

/** Throws `OpenIdError` if the identity gets no access. */
export async function identifyPerson(
  tx: Transaction,
  signIn: OpenIdSignIn,
): Promise<PersonIdentity> {
  const known = await findLockedPerson(tx, signIn.claims);
  if (known === null || known.closedAt !== null) {
    return await joinAsNewPerson(tx, signIn, { wasRemoved: known !== null });
  }
  if (signIn.link === null) return known;
  return await acceptInvitation(tx, await openLink(tx, signIn.link), known);
}

/** Locked: a person who is deactivated at this moment has no use for a session. */
async function findLockedPerson(tx: Transaction, claims: OpenIdClaims): Promise<Person | null> {
  const found = await findPersonByIdentity(tx, claims);
  if (found === null) return null;
  await lockPerson(tx, found.id);
  return await getPerson(tx, found.id);
}

async function joinAsNewPerson(
  tx: Transaction,
  signIn: OpenIdSignIn,
  { wasRemoved }: { readonly wasRemoved: boolean },
): Promise<PersonIdentity> {
  const { claims, link, settings } = signIn;
  const email = trustedEmail(signIn);
  if ((await findByEmail(tx, email)) !== null) throw new OpenIdError('email_taken');
  const domain = joinOf(settings, email);
  // Other accounts can invite any address. Only its person may accept that, by opening the link.
  const invitations =
    link === null
      ? await consumeInvitationsFor(tx, { email, accountId: domain?.accountId })
      : [await openLink(tx, link)];
  const isOfDomain = claims.isEmailVerified === true && !wasRemoved;
  const join = domain && isOfDomain && (await isOpen(tx, domain.accountId)) ? domain : null;
  if (invitations.length === 0 && join === null) {
    throw new OpenIdError(wasRemoved ? 'deactivated' : 'uninvited');
  }
  let person: PersonIdentity = await createOpenIdPerson(tx, { claims, email });
  if (join !== null) await joinByDomain(tx, person, join);
  for (const invitation of invitations) person = await acceptInvitation(tx, invitation, person);
  return person;
}

/**
 * Without a link, only the address shows who was invited, so the provider must vouch for it. With
 * one, it must not deny it.
 */
function trustedEmail({ claims, link }: OpenIdSignIn): string {
  const { email, isEmailVerified } = claims;
  const isTrusted = link === null ? isEmailVerified === true : isEmailVerified !== false;
  const isAddress = (email?.length ?? 0) <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email ?? '');
  if (!isTrusted || !isAddress) throw new OpenIdError('unverified');
  return email!;
}

/** What people with addresses of this domain join; null for other domains. */
export function joinOf({ join }: OpenIdSettings, email: string): OpenIdSettings['join'] {
  const domain = normalizeEmail(email).split('@').at(-1)!;
  return join?.domains.includes(domain) ? join : null;
}

async function isOpen(tx: Transaction, accountId: string): Promise<boolean> {
  const account = await getAccount(tx, accountId).catch(() => null);
  return account !== null && account.closedAt === null;
}

async function openLink(tx: Transaction, token: string): Promise<OneTimeLink> {
  try {
    const link = await getValidLink(tx, token);
    if (link.purpose === 'password') throw new OpenIdError('uninvited');
    await consumeLink(tx, token);
    return link;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') throw new OpenIdError('uninvited');
    throw error;
  }
}

async function createOpenIdPerson(
  tx: Transaction,
  { claims, email }: { readonly claims: OpenIdClaims; readonly email: string },
): Promise<PersonIdentity> {
  const { issuer, subject } = claims;
  const request = {
    email,
    name: displayName(claims, email),
    administrator: false,
    passwordHash: null,
  };
  const created = await createPerson(tx, request).catch((error) => {
    // Another sign-in has created the person meanwhile.
    throw error instanceof ApiError ? new OpenIdError('email_taken') : error;
  });
  const personId = created.id;
  if (!(await linkIdentity(tx, { issuer, subject, personId, email }))) {
    throw new OpenIdError('linked_elsewhere');
  }
  const detail = { name: created.name, issuer };
  const action = 'person.create';
  await recordAudit(tx, { actor: created.email, action, subject: personId, detail });
  return created;
}

/** What the provider calls the person, if it can be stored and shown. */
function displayName({ name }: OpenIdClaims, email: string): string {
  const printable = (name ?? '').replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim();
  const stored = printable.slice(0, 200).toWellFormed();
  return /[\p{L}\p{N}]/u.test(stored) ? stored : email.slice(0, 200);
}

/** The account that the operator has named for the domain of the address. */
async function joinByDomain(
  tx: Transaction,
  { id: personId, email: actor }: PersonIdentity,
  { accountId, role }: NonNullable<OpenIdSettings['join']>,
): Promise<void> {
  await addMember(tx, { accountId, personId, role });
  const detail = { person: personId, role, invited_by: 'VIDGEN_OIDC_DOMAINS' };
  await recordAudit(tx, { actor, action: 'member.join', subject: accountId, detail });
}
