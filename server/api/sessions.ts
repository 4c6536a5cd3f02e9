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
import { revokePasswordLinks } from '../accounts/link.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { hashPassword } from '../accounts/password.ts';
import { type PersonIdentity, renamePerson, setPasswordHash } from '../accounts/person.ts';
import {
  endSession,
  endSessions,
  listSessions,
  type NewSession,
  openSession,
  rotateSession,
  type SignedIn,
} from '../accounts/session.ts';
import type { Transaction } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import { checkedBody } from './check-request.ts';
import { seconds, sessionView } from './people-views.ts';
import { provePassword } from './prove-password.ts';
import type { Answer, Asked, Service } from './service.ts';
import { noCookie, sessionCookie } from './session-cookie.ts';

const wrongPassword = 'The password is wrong.';

export async function getSession(service: Service, asked: Asked): Promise<Answer> {
  return { body: await sessionView(service, signedIn(asked)) };
}

export async function postSession(service: Service, asked: Asked): Promise<Answer> {
  const { email, password } = checkedBody(SignInRequest, asked.body);
  const wrong = 'The e-mail address or the password is wrong.';
  const proof = await provePassword(service, asked, { email, password, wrong });
  const session = await service.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    return await startSession(tx, asked, proof.person.id);
  });
  return await sessionAnswer(service, { person: proof.person, session, status: 201 });
}

/** A new session, never a known one: a token that somebody planted before is worth nothing. */
export async function startSession(
  tx: Transaction,
  asked: Asked,
  personId: string,
): Promise<NewSession> {
  if (asked.person && asked.session) {
    await endSession(tx, { personId: asked.person.id, sessionId: asked.session.id });
  }
  const agent = String(asked.headers['user-agent'] ?? '');
  return await openSession(tx, { personId, address: asked.remoteAddress ?? '', agent });
}

export async function sessionAnswer(
  service: Service,
  {
    person,
    session,
    status = 200,
  }: { person: PersonIdentity; session: NewSession; status?: number },
): Promise<Answer> {
  const headers = sessionCookie(service.publicUrl(), session.token);
  return { status, headers, body: await sessionView(service, { person, session }) };
}

export async function deleteSession(service: Service, asked: Asked): Promise<Answer> {
  const { person, session } = signedIn(asked);
  await service.lifecycle.db.transaction((tx) =>
    endSession(tx, { personId: person.id, sessionId: session.id }),
  );
  return { status: 204, headers: noCookie(service.publicUrl()) };
}

export async function postConfirm(service: Service, asked: Asked): Promise<Answer> {
  const { person, session } = signedIn(asked);
  const { password } = checkedBody(ConfirmSessionRequest, asked.body);
  const { email } = person;
  const proof = await provePassword(service, asked, { email, password, wrong: wrongPassword });
  const rotated = await service.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    return await rotateSession(tx, session.id, { confirms: true });
  });
  return await sessionAnswer(service, { person, session: rotated });
}

/** Whoever knew the old password is signed out everywhere; the one who asks goes on. */
export async function postPassword(service: Service, asked: Asked): Promise<Answer> {
  const { person, session } = signedIn(asked);
  const given = checkedBody(ChangePasswordRequest, asked.body);
  const { email, id: personId } = person;
  const proof = await provePassword(service, asked, {
    email,
    password: given.current_password,
    wrong: wrongPassword,
  });
  const passwordHash = await hashPassword(given.new_password);
  const rotated = await service.lifecycle.db.transaction(async (tx) => {
    await proof.accept(tx);
    await setPasswordHash(tx, { personId, passwordHash });
    await endSessions(tx, { personId, except: session.id });
    await revokePasswordLinks(tx, personId);
    await recordAction(tx, { actor: email, action: 'person.change_password', subject: personId });
    return await rotateSession(tx, session.id, { confirms: true });
  });
  return await sessionAnswer(service, { person, session: rotated });
}

export async function postName(service: Service, asked: Asked): Promise<Answer> {
  const { person, session } = signedIn(asked);
  const { name } = checkedBody(ChangeNameRequest, asked.body);
  const renamed = await service.lifecycle.db.transaction(async (tx) => {
    const changed = await renamePerson(tx, { personId: person.id, name });
    const action = { actor: person.email, action: 'person.change_name', subject: person.id };
    if (changed.name !== person.name) {
      await recordAction(tx, { ...action, detail: { from: person.name, to: changed.name } });
    }
    return changed;
  });
  return { body: await sessionView(service, { person: renamed, session }) };
}

export async function getSessions({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { person, session } = signedIn(asked);
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

export async function deleteOneSession(service: Service, asked: Asked): Promise<Answer> {
  const { person, session } = signedIn(asked);
  const sessionId = asked.params.id!;
  const isEnded = await service.lifecycle.db.transaction((tx) =>
    endSession(tx, { personId: person.id, sessionId }),
  );
  if (!isEnded) throw new Refusal('not_found', 'You have no session with this id.');
  const headers = sessionId === session.id ? noCookie(service.publicUrl()) : {};
  return { status: 204, headers };
}

/** The guard lets nobody else as far as here. */
function signedIn({ person, session }: Asked): SignedIn {
  assert(person && session);
  return { person, session };
}
