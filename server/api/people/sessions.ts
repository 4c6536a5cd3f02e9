/**
 * Signing in and out, saying once more that it is you, another password or name, and the list of
 * one's own sessions. Passwords and tokens are in no answer but the cookie, and in no log.
 */
import assert from 'node:assert/strict';
import {
  ChangeNameRequest,
  ChangePasswordRequest,
  ConfirmSessionRequest,
  SignInRequest,
} from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { revokePasswordLinks } from '../../accounts/one-time-link.ts';
import { hashPassword } from '../../accounts/password.ts';
import { type PersonIdentity, renamePerson, setPasswordHash } from '../../accounts/person.ts';
import {
  type AuthenticatedSession,
  createSession,
  endSession,
  endSessions,
  listSessions,
  type NewSession,
  rotateSession,
} from '../../accounts/session.ts';
import { ApiError } from '../../api-error.ts';
import type { Transaction } from '../../database/database.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseBody } from '../http/parse-request.ts';
import { clearedCookie, sessionCookie } from '../http/session-cookie.ts';
import { authenticatePassword } from './authenticate-password.ts';
import { seconds, sessionView } from './views.ts';

const wrongPassword = 'The password is wrong.';

export async function getSession(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
  return { body: await sessionView(services, requireSession(request)) };
}

export async function postSession(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { email, password } = parseBody(SignInRequest, request.body);
  const failureMessage = 'The e-mail address or the password is wrong.';
  const proof = await authenticatePassword(services, request, { email, password, failureMessage });
  const session = await services.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    return await startSession(tx, request, proof.person.id);
  });
  return await sessionResponse(services, { person: proof.person, session, status: 201 });
}

/** A new session, never a known one: a token that somebody planted before is worth nothing. */
export async function startSession(
  tx: Transaction,
  request: ApiRequest,
  personId: string,
): Promise<NewSession> {
  if (request.person && request.session) {
    await endSession(tx, { personId: request.person.id, sessionId: request.session.id });
  }
  const agent = String(request.headers['user-agent'] ?? '');
  return await createSession(tx, { personId, address: request.remoteAddress ?? '', agent });
}

export async function sessionResponse(
  services: ApiServices,
  {
    person,
    session,
    status = 200,
  }: { person: PersonIdentity; session: NewSession; status?: number },
): Promise<ApiResponse> {
  const headers = sessionCookie(services.publicUrl(), session.token);
  return { status, headers, body: await sessionView(services, { person, session }) };
}

export async function deleteSession(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { person, session } = requireSession(request);
  await services.lifecycle.db.transaction((tx) =>
    endSession(tx, { personId: person.id, sessionId: session.id }),
  );
  return { status: 204, headers: clearedCookie(services.publicUrl()) };
}

export async function postConfirm(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { person, session } = requireSession(request);
  const { password } = parseBody(ConfirmSessionRequest, request.body);
  const { email } = person;
  const proof = await authenticatePassword(services, request, {
    email,
    password,
    failureMessage: wrongPassword,
  });
  const rotated = await services.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    return await rotateSession(tx, session.id, { confirms: true });
  });
  return await sessionResponse(services, { person, session: rotated });
}

/** Whoever knew the old password is signed out everywhere; the one who asks goes on. */
export async function postPassword(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { person, session } = requireSession(request);
  const body = parseBody(ChangePasswordRequest, request.body);
  const { email, id: personId } = person;
  const proof = await authenticatePassword(services, request, {
    email,
    password: body.current_password,
    failureMessage: wrongPassword,
  });
  const passwordHash = await hashPassword(body.new_password);
  const rotated = await services.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    await setPasswordHash(tx, { personId, passwordHash });
    await endSessions(tx, { personId, except: session.id });
    await revokePasswordLinks(tx, personId);
    await recordAudit(tx, { actor: email, action: 'person.change_password', subject: personId });
    return await rotateSession(tx, session.id, { confirms: true });
  });
  return await sessionResponse(services, { person, session: rotated });
}

export async function postName(services: ApiServices, request: ApiRequest): Promise<ApiResponse> {
  const { person, session } = requireSession(request);
  const { name } = parseBody(ChangeNameRequest, request.body);
  const renamed = await services.lifecycle.db.transaction(async (tx) => {
    const changed = await renamePerson(tx, { personId: person.id, name });
    const action = { actor: person.email, action: 'person.change_name', subject: person.id };
    if (changed.name !== person.name) {
      await recordAudit(tx, { ...action, detail: { from: person.name, to: changed.name } });
    }
    return changed;
  });
  return { body: await sessionView(services, { person: renamed, session }) };
}

export async function getSessions(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { person, session } = requireSession(request);
  const found = await listSessions(lifecycle.db, person.id);
  const items = found.map(({ id, createdAt, lastUsedAt, address, agent }) => ({
    id,
    current: id === session.id,
    created_at: seconds(createdAt),
    last_used_at: seconds(lastUsedAt),
    address,
    agent,
  }));
  return { body: { items, next_cursor: null } };
}

export async function deleteOneSession(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { person, session } = requireSession(request);
  const sessionId = request.params.id!;
  const isEnded = await services.lifecycle.db.transaction((tx) =>
    endSession(tx, { personId: person.id, sessionId }),
  );
  if (!isEnded) throw new ApiError('not_found', 'You have no session with this id.');
  const headers = sessionId === session.id ? clearedCookie(services.publicUrl()) : {};
  return { status: 204, headers };
}

/** The guard lets nobody else as far as here. */
function requireSession({ person, session }: ApiRequest): AuthenticatedSession {
  assert(person && session);
  return { person, session };
}
