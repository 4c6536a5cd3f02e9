/**
 * One-time links: to join an account, to become an administrator, or to set a new password. A link
 * is consumed in the transaction that applies it, so it works once or not at all.
 */
import { ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { InspectLinkRequest, LinkResponse, UseLinkRequest } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findIdentity } from '../../accounts/people/identity.ts';
import {
  accessDeactivated,
  consumeLink,
  getValidLink,
  type OneTimeLink,
  recordFailedUse,
  revokePasswordLinks,
} from '../../accounts/people/one-time-link.ts';
import { hashPassword } from '../../accounts/people/password.ts';
import {
  createPerson,
  findByEmail,
  getPerson,
  lockPerson,
  normalizePerson,
  setPasswordHash,
} from '../../accounts/people/person.ts';
import { endSessions, rotateSession } from '../../accounts/people/session.ts';
import type { Transaction } from '../../database/database.ts';
import { queueSecurityMail } from '../../messages/security-mail.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { acceptInvitation } from './invitations.ts';
import { joinOf } from './openid-person.ts';
import {
  invitation,
  ownAccount,
  person as personSample,
  token,
  tooManyPasswords,
} from './samples.ts';
import { pendingSignIn, secondStepDescription, secondStepResponse } from './second-step.ts';
import {
  requireSession,
  sessionResponse,
  signedInDescription,
  startSession,
} from './session-response.ts';
import { authenticatePassword } from './sign-in.ts';

const linkGone = 'This link has been used, replaced or has expired; ask for a new one.';

const linkSample = {
  purpose: 'member',
  account_name: ownAccount.name,
  role: 'developer',
  email: personSample.email,
  expires_at: invitation.expires_at,
};

const inspectLink = endpoint({
  operationId: 'lookAtLink',
  method: 'POST',
  path: '/links/look',
  summary: 'Inspect a one-time link',
  description: 'Does not use up the link.',
  auth: 'none',
  body: InspectLinkRequest,
  requestExamples: { one: ['A link', { token }] },
  responses: {
    200: jsonResponse('The link works.', LinkResponse, {
      one: ['An invitation to an account', linkSample],
    }),
  },
  errors: {
    invalid_request: 'token is required',
    forbidden: accessDeactivated,
    not_found: linkGone,
    internal_error: true,
  },
  async handler({ lifecycle }, request) {
    const link = await getValidLink(lifecycle.db, request.body.token);
    const body: LinkResponse = {
      purpose: link.purpose,
      account_name: link.accountName,
      role: link.role,
      email: link.email ?? link.invitedEmail,
      expires_at: unixSeconds(link.expiresAt),
    };
    return { body };
  },
});

const useLink = endpoint({
  operationId: 'useLink',
  method: 'POST',
  path: '/links/use',
  summary: 'Use a one-time link',
  description:
    'A caller who is signed in and sends no `email` joins as that person. Others send `name`, ' +
    '`email` and a new `password`, or the password of their existing sign-in. A link for a new ' +
    'password takes only the password, and ends all earlier sessions. Where the person has a ' +
    'second factor, the code is missing: with an invitation, use the link again after it.',
  auth: 'none',
  optionalSession: true,
  body: UseLinkRequest,
  requestExamples: {
    join: [
      'Join as a new person',
      {
        token,
        name: 'Ada Berg',
        email: 'ada@example.com',
        password: 'a boat of folded paper',
      },
    ],
    reset: ['A new password', { token, password: 'a kite of rice paper' }],
  },
  responses: {
    201: signedInDescription('Signed in; the link is used up.'),
    202: secondStepDescription,
  },
  errors: {
    invalid_request: 'name is required',
    invalid_api_key: 'No login has this email address and password; check both.',
    forbidden: accessDeactivated,
    not_found: linkGone,
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const { body } = request;
    const link = await getValidLink(services.lifecycle.db, body.token);
    const result = await applyLink(services, request, { link, body });
    if ('pending' in result) return secondStepResponse(services, result.pending);
    return await sessionResponse(services, request, { ...result, status: 201 });
  },
});

type LinkUse = { readonly link: OneTimeLink; readonly body: UseLinkRequest };

/** With `pending`, the password was right, and the person has a second factor. */
async function applyLink(services: ApiServices, request: ApiRequest, { link, body }: LinkUse) {
  if (link.purpose === 'password') return await resetPassword(services, request, { link, body });
  if (request.person && body.email === undefined) {
    return await joinSignedIn(request, { link, body });
  }
  const email = requireField(body, 'email');
  requireField(body, 'password');
  // Before anything depends on whether the address is known, which the caller must not learn.
  if (body.name !== undefined) {
    normalizePerson({ email, name: body.name });
    requireOtherDomain(services, email);
  }
  const isKnown = (await findByEmail(services.lifecycle.db, email)) !== null;
  // Without a name the caller claims to have a login; known and unknown addresses look the same.
  return isKnown || body.name === undefined
    ? await joinExisting(services, request, { link, body })
    : await joinNew(services, request, { link, body });
}

/** The addresses of a domain are for its people, whom only the OpenID provider knows. */
function requireOtherDomain({ openid }: ApiServices, email: string): void {
  if (openid === null || joinOf(openid.settings, email) === null) return;
  const message = `People with this email address sign in with ${openid.settings.name}.`;
  throw invalidRequest(message);
}

/** Ends all sessions of the person: the old password may be known to others. */
async function resetPassword(services: ApiServices, request: ApiRequest, { link, body }: LinkUse) {
  const passwordHash = await hashPassword(requireField(body, 'password'));
  const personId = link.personId!;
  return await services.lifecycle.db.transaction(async (tx) => {
    // First: the person may be deactivated at this moment, and then has no use for a session.
    await lockPerson(tx, personId);
    await requireNoIdentity(services, tx, personId);
    await consumeLink(tx, body.token);
    await setPasswordHash(tx, { personId, passwordHash });
    await endSessions(tx, { personId });
    await revokePasswordLinks(tx, personId);
    const person = await getPerson(tx, personId);
    const action = 'person.reset_password';
    await recordAudit(tx, { actor: person.email, action, subject: personId });
    await queueSecurityMail(tx, services.messages, person.email, { kind: 'password_reset' });
    // Mail is one factor: who can read it must not get past the other.
    const pending = await pendingSignIn(services, tx, personId);
    if (pending) return { pending };
    return { person, session: await startSession(tx, request, personId) };
  });
}

/** The person may have been linked after the link was made. */
async function requireNoIdentity({ openid }: ApiServices, tx: Transaction, personId: string) {
  if (openid === null) return;
  const { issuer, name } = openid.settings;
  if ((await findIdentity(tx, { personId, issuer })) === null) return;
  throw new ApiError('forbidden', `You sign in with ${name}; there is no password to reset.`);
}

async function joinSignedIn(request: ApiRequest, { link, body }: LinkUse) {
  const { person, token } = requireSession(request);
  return await request.transaction(async (tx) => {
    await consumeLink(tx, body.token);
    const joinedPerson = await acceptInvitation(tx, link, person);
    return { person: joinedPerson, session: await rotateSession(tx, token, { confirms: false }) };
  });
}

async function joinExisting(services: ApiServices, request: ApiRequest, { link, body }: LinkUse) {
  const { db } = services.lifecycle;
  const proof = await authenticatePassword(services, request, {
    email: requireField(body, 'email'),
    password: requireField(body, 'password'),
    failureMessage: 'No login has this email address and password; check both, or sign in first.',
  }).catch(async (error) => {
    const isWrong = error instanceof ApiError && error.code === 'invalid_api_key';
    if (isWrong) await db.transaction((tx) => recordFailedUse(tx, body.token));
    throw error;
  });
  return await services.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    const pending = await pendingSignIn(services, tx, proof.person.id);
    if (pending) return { pending };
    await consumeLink(tx, body.token);
    const person = await acceptInvitation(tx, link, proof.person);
    return { person, session: await startSession(tx, request, person.id) };
  });
}

async function joinNew(services: ApiServices, request: ApiRequest, { link, body }: LinkUse) {
  const email = requireField(body, 'email');
  const name = requireField(body, 'name');
  const passwordHash = await hashPassword(requireField(body, 'password'));
  return await services.lifecycle.db.transaction(async (tx) => {
    await consumeLink(tx, body.token);
    const created = await createPerson(tx, { email, name, administrator: false, passwordHash });
    const detail = { name: created.name, invited_by: link.createdBy };
    const action = 'person.create';
    await recordAudit(tx, { actor: created.email, action, subject: created.id, detail });
    const person = await acceptInvitation(tx, link, created);
    return { person, session: await startSession(tx, request, person.id) };
  });
}

function requireField(body: UseLinkRequest, field: 'email' | 'name' | 'password'): string {
  const value = body[field];
  if (value !== undefined) return value;
  throw invalidRequest(`${field} is required`);
}

export const linkEndpoints = [inspectLink, useLink];
