/** The signed-in person: their sessions, name and password. */
import { notFound } from '@vidgen/contract/api-error.ts';
import {
  ChangeNameRequest,
  ChangePasswordRequest,
  ConfirmSessionRequest,
  ListSessionsResponse,
} from '@vidgen/contract/people.ts';
import { SecurityResponse } from '@vidgen/contract/sign-in.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findIdentity } from '../../accounts/people/identity.ts';
import { revokePasswordLinks } from '../../accounts/people/one-time-link.ts';
import { hashPassword } from '../../accounts/people/password.ts';
import { readPasswordHash, renamePerson, setPasswordHash } from '../../accounts/people/person.ts';
import { getSecondFactor } from '../../accounts/people/second-factor.ts';
import * as sessions from '../../accounts/people/session.ts';
import { queueSecurityMail } from '../../messages/security-mail.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import { createdAt, pageOf } from '../http/samples.ts';
import { clearedCookie } from '../http/session-cookie.ts';
import { unixSeconds } from '../http/timestamps.ts';
import { session as sessionSample, tooManyPasswords } from './samples.ts';
import {
  requireSession,
  sessionDescription,
  sessionResponse,
  sessionView,
  signedInDescription,
} from './session-response.ts';
import { authenticatePassword } from './sign-in.ts';

const wrongPassword = 'Incorrect password.';

const getSession = endpoint({
  operationId: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Get the session',
  auth: 'person',
  responses: { 200: sessionDescription('The person, their accounts and the session.') },
  async handler(services, request) {
    return { body: await sessionView(services, requireSession(request)) };
  },
});

const signOut = endpoint({
  operationId: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Sign out',
  auth: 'person',
  responses: { 204: { description: 'The session has ended.', headers: ['Set-Cookie'] } },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    await request.transaction((tx) =>
      sessions.endSession(tx, { personId: person.id, sessionId: session.id }),
    );
    return { status: 204, headers: clearedCookie(services.publicUrl()) };
  },
});

/** Requests for keys and money require it. */
const confirmSession = endpoint({
  operationId: 'confirmSession',
  method: 'POST',
  path: '/session/confirm',
  summary: 'Confirm a session with the password',
  description:
    'For ten minutes, the session can manage keys, credits and people. Its token is replaced.',
  auth: 'person',
  body: ConfirmSessionRequest,
  requestExamples: { one: ['The password', { password: 'a boat of folded paper' }] },
  responses: { 200: signedInDescription('Confirmed.') },
  errors: {
    invalid_request: 'password is required',
    invalid_api_key: wrongPassword,
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const { person, session, token } = requireSession(request);
    const proof = await authenticatePassword(services, request, {
      email: person.email,
      password: request.body.password,
      failureMessage: wrongPassword,
      sessionId: session.id,
    });
    const rotated = await request.transaction(async (tx) => {
      await proof.accept(tx);
      return await sessions.rotateSession(tx, token, { confirms: true });
    });
    return await sessionResponse(services, request, { person, session: rotated });
  },
});

const changePassword = endpoint({
  operationId: 'changePassword',
  method: 'POST',
  path: '/session/password',
  summary: 'Change your password',
  description: 'All other sessions of the person end.',
  auth: 'person',
  body: ChangePasswordRequest,
  requestExamples: {
    one: [
      'Old and new',
      { current_password: 'a boat of folded paper', new_password: 'a kite of rice paper' },
    ],
  },
  responses: { 200: signedInDescription('Changed.') },
  errors: {
    invalid_request: 'new_password must have at least 12 characters',
    invalid_api_key: wrongPassword,
    rate_limited: tooManyPasswords,
  },
  async handler(services, request) {
    const { person, session, token } = requireSession(request);
    const { email, id: personId } = person;
    const proof = await authenticatePassword(services, request, {
      email,
      password: request.body.current_password,
      failureMessage: wrongPassword,
      sessionId: session.id,
    });
    const passwordHash = await hashPassword(request.body.new_password);
    const rotated = await request.transaction(async (tx) => {
      await proof.accept(tx);
      await setPasswordHash(tx, { personId, passwordHash });
      await sessions.endSessions(tx, { personId, except: session.id });
      await revokePasswordLinks(tx, personId);
      await recordAudit(tx, { actor: email, action: 'person.change_password', subject: personId });
      await queueSecurityMail(tx, services.messages, email, { kind: 'password_changed' });
      return await sessions.rotateSession(tx, token, { confirms: true });
    });
    return await sessionResponse(services, request, { person, session: rotated });
  },
});

const changeName = endpoint({
  operationId: 'changeName',
  method: 'POST',
  path: '/session/name',
  summary: 'Change your name',
  description: 'The name is shown to other people of the account and to operators.',
  auth: 'person',
  body: ChangeNameRequest,
  requestExamples: { one: ['Another name', { name: 'Ada Berg' }] },
  responses: { 200: sessionDescription('Changed.') },
  errors: { invalid_request: 'name is required' },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const { name } = request.body;
    const renamed = await request.transaction(async (tx) => {
      const changed = await renamePerson(tx, { personId: person.id, name });
      const action = 'person.change_name';
      if (changed.name !== person.name) {
        const detail = { from: person.name, to: changed.name };
        await recordAudit(tx, { actor: person.email, action, subject: person.id, detail });
      }
      return changed;
    });
    return { body: await sessionView(services, { person: renamed, session }) };
  },
});

const security: SecurityResponse = {
  has_password: true,
  openid: { name: 'Example', identity: { email: 'ada@example.com', linked_at: createdAt } },
  second_factor: { enabled_at: createdAt, recovery_codes_left: 9 },
};

const getSecurity = endpoint({
  operationId: 'getSecurity',
  method: 'GET',
  path: '/session/security',
  summary: 'Get your sign-in settings',
  auth: 'person',
  responses: {
    200: jsonResponse('Password, linked provider and second factor.', SecurityResponse, {
      one: ['All of them', security],
    }),
  },
  async handler({ lifecycle: { db }, openid }, request) {
    const { id: personId } = requireSession(request).person;
    const issuer = openid?.settings.issuer;
    const identity = issuer === undefined ? null : await findIdentity(db, { personId, issuer });
    const factor = await getSecondFactor(db, personId);
    const body: SecurityResponse = {
      has_password: (await readPasswordHash(db, personId, { issuer, lock: false })) !== null,
      openid: openid && {
        name: openid.settings.name,
        identity: identity && {
          email: identity.email,
          linked_at: unixSeconds(identity.linkedAt),
        },
      },
      second_factor: factor && {
        enabled_at: unixSeconds(factor.enabledAt),
        recovery_codes_left: factor.recoveryCodesLeft,
      },
    };
    return { body };
  },
});

const listedSession = {
  id: sessionSample.session.id,
  current: true,
  created_at: createdAt,
  last_used_at: createdAt + 240,
  address: '192.0.2.17',
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

const listSessions = endpoint({
  operationId: 'listSessions',
  method: 'GET',
  path: '/sessions',
  summary: 'List your sessions',
  description: 'Newest first. A session ends after 7 days unused and after 30 in any case.',
  auth: 'person',
  responses: {
    200: jsonResponse('One’s own sessions.', ListSessionsResponse, {
      one: ['This browser', pageOf(listedSession)],
    }),
  },
  async handler({ lifecycle }, request) {
    const { person, session } = requireSession(request);
    const found = await sessions.listSessions(lifecycle.db, person.id);
    const items = found.map(({ id, createdAt, lastUsedAt, address, agent }) => ({
      id,
      current: id === session.id,
      created_at: unixSeconds(createdAt),
      last_used_at: unixSeconds(lastUsedAt),
      address,
      agent,
    }));
    return { body: { items, next_cursor: null } };
  },
});

const endSession = endpoint({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/sessions/:id',
  summary: 'End a session',
  auth: 'person',
  responses: { 204: { description: 'It has ended.' } },
  errors: { not_found: 'No session found with this ID.' },
  async handler(services, request) {
    const { person, session } = requireSession(request);
    const sessionId = request.params.id!;
    const isEnded = await request.transaction((tx) =>
      sessions.endSession(tx, { personId: person.id, sessionId }),
    );
    if (!isEnded) throw notFound('No session found with this ID.');
    const headers = sessionId === session.id ? clearedCookie(services.publicUrl()) : {};
    return { status: 204, headers };
  },
});

export const sessionEndpoints = [
  getSession,
  signOut,
  confirmSession,
  changePassword,
  changeName,
  getSecurity,
  listSessions,
  endSession,
];
