/**
 * One-time links: what one is for, and using it up. Whatever follows from a link is in the commit
 * that uses it up: it works once or not at all.
 */
import { LookAtLinkRequest, UseLinkRequest } from '@vidgen/contract/people.ts';
import { findDemoAccount } from '../accounts/account.ts';
import { getLink, type Link, revokePasswordLinks, useUp } from '../accounts/link.ts';
import { addMember } from '../accounts/membership.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { hashPassword } from '../accounts/password.ts';
import {
  createPerson,
  findByEmail,
  getPerson,
  hasAdministrator,
  makeAdministrator,
  type PersonIdentity,
  setPasswordHash,
} from '../accounts/person.ts';
import { endSessions, type NewSession, rotateSession } from '../accounts/session.ts';
import type { Transaction } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import { checkedBody } from './check-request.ts';
import { linkView } from './people-views.ts';
import { provePassword } from './prove-password.ts';
import type { Answer, Asked, Service } from './service.ts';
import { sessionAnswer, startSession } from './sessions.ts';

type Joined = { readonly person: PersonIdentity; readonly session: NewSession };

export async function postLookAtLink({ lifecycle }: Service, { body }: Asked): Promise<Answer> {
  const { token } = checkedBody(LookAtLinkRequest, body);
  return { body: linkView(await getLink(lifecycle.db, token)) };
}

export async function postUseLink(service: Service, asked: Asked): Promise<Answer> {
  const given = checkedBody(UseLinkRequest, asked.body);
  const link = await getLink(service.lifecycle.db, given.token);
  const joined = await useFor(service, asked, { link, given });
  return await sessionAnswer(service, { ...joined, status: 201 });
}

type Using = { readonly link: Link; readonly given: UseLinkRequest };

async function useFor(service: Service, asked: Asked, { link, given }: Using): Promise<Joined> {
  if (link.purpose === 'password') return await resetPassword(service, asked, { link, given });
  if (asked.person && given.email === undefined) {
    return await joinSignedIn(service, asked, { link, given });
  }
  const isKnown = (await findByEmail(service.lifecycle.db, required(given, 'email'))) !== null;
  return isKnown
    ? await joinKnown(service, asked, { link, given })
    : await joinNew(service, asked, { link, given });
}

/** Who had the old password is out, wherever it was used. */
async function resetPassword(service: Service, asked: Asked, { link, given }: Using) {
  const passwordHash = await hashPassword(required(given, 'password'));
  const personId = link.personId!;
  return await service.lifecycle.db.transaction(async (tx) => {
    await useUp(tx, given.token);
    await setPasswordHash(tx, { personId, passwordHash });
    await endSessions(tx, { personId });
    await revokePasswordLinks(tx, personId);
    const person = await getPerson(tx, personId);
    const action = 'person.reset_password';
    await recordAction(tx, { actor: person.email, action, subject: personId });
    return { person, session: await startSession(tx, asked, personId) };
  });
}

async function joinSignedIn(service: Service, asked: Asked, { link, given }: Using) {
  const { person, session } = asked;
  return await service.lifecycle.db.transaction(async (tx) => {
    await useUp(tx, given.token);
    const joined = await join(tx, link, person!);
    return { person: joined, session: await rotateSession(tx, session!.id, { confirms: false }) };
  });
}

async function joinKnown(service: Service, asked: Asked, { link, given }: Using) {
  const proof = await provePassword(service, asked, {
    email: required(given, 'email'),
    password: required(given, 'password'),
    wrong: 'Somebody with this e-mail address exists already, and the password is another.',
  });
  return await service.lifecycle.db.transaction(async (tx) => {
    await useUp(tx, given.token);
    await proof.accept(tx);
    const person = await join(tx, link, proof.person);
    return { person, session: await startSession(tx, asked, person.id) };
  });
}

async function joinNew(service: Service, asked: Asked, { link, given }: Using) {
  const email = required(given, 'email');
  const name = required(given, 'name');
  const passwordHash = await hashPassword(required(given, 'password'));
  return await service.lifecycle.db.transaction(async (tx) => {
    await useUp(tx, given.token);
    const made = await createPerson(tx, { email, name, administrator: false, passwordHash });
    const detail = { name: made.name, invited_by: link.madeBy };
    await recordAction(tx, {
      actor: made.email,
      action: 'person.create',
      subject: made.id,
      detail,
    });
    const person = await join(tx, link, made);
    return { person, session: await startSession(tx, asked, person.id) };
  });
}

/** What the link was made for. The first administrator also owns the account of a first start. */
async function join(tx: Transaction, link: Link, person: PersonIdentity): Promise<PersonIdentity> {
  const { email: actor, id: personId } = person;
  const detail = { invited_by: link.madeBy };
  if (link.purpose === 'member') {
    const [accountId, role] = [link.accountId!, link.role!];
    await addMember(tx, { accountId, personId, role });
    const joined = { ...detail, person: personId, role };
    await recordAction(tx, { actor, action: 'member.join', subject: accountId, detail: joined });
    return person;
  }
  const isFirst = !(await hasAdministrator(tx));
  await makeAdministrator(tx, personId);
  await recordAction(tx, { actor, action: 'administrator.join', subject: personId, detail });
  const demo = isFirst ? await findDemoAccount(tx) : null;
  if (demo) await addMember(tx, { accountId: demo.id, personId, role: 'owner' });
  return { ...person, administrator: true };
}

function required(given: UseLinkRequest, field: 'email' | 'name' | 'password'): string {
  const value = given[field];
  if (value !== undefined) return value;
  throw new Refusal('invalid_request', `${field} is required`);
}
