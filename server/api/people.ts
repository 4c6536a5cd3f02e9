/** Operators: everybody who can sign in here, and the links that let somebody in again. */
import { ListPeopleQuery } from '@vidgen/contract/people.ts';
import { makeLink, revokeLinksBy, revokePasswordLinks } from '../accounts/link.ts';
import { accountsOf, accountsOfPeople } from '../accounts/membership.ts';
import { recordAction } from '../accounts/operator-actions.ts';
import { closePerson, getPerson, listPeople } from '../accounts/person.ts';
import { endSessions } from '../accounts/session.ts';
import { Refusal } from '../refusal.ts';
import { checkedQuery } from './check-request.ts';
import { createdInvitationView, personView } from './people-views.ts';
import type { Answer, Asked, Service } from './service.ts';

export async function getPeople({ lifecycle: { db } }: Service, asked: Asked): Promise<Answer> {
  const page = await listPeople(db, checkedQuery(ListPeopleQuery, asked.query));
  const accounts = await accountsOfPeople(
    db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((person) => personView(person, accounts.get(person.id) ?? []));
  return { body: { items, next_cursor: page.nextCursor } };
}

/** Also the way back in: whoever holds the admin token can always make an administrator. */
export async function postAdministrator(service: Service, asked: Asked): Promise<Answer> {
  const { actor, person } = asked;
  const link = await service.lifecycle.db.transaction(async (tx) => {
    const made = await makeLink(tx, {
      purpose: 'administrator',
      madeBy: actor,
      madeByPerson: person?.id,
    });
    await recordAction(tx, { actor, action: 'administrator.invite', subject: made.id });
    return made;
  });
  return { status: 201, body: createdInvitationView(service, link) };
}

/** A new link replaces the one before it; the old password works until the link is used. */
export async function postPasswordLink(service: Service, asked: Asked): Promise<Answer> {
  const { actor } = asked;
  const person = await getPerson(service.lifecycle.db, asked.params.id!);
  if (person.closedAt) {
    throw new Refusal('invalid_request', 'The person is closed and cannot sign in any more.');
  }
  const personId = person.id;
  const link = await service.lifecycle.db.transaction(async (tx) => {
    await revokePasswordLinks(tx, personId);
    const made = await makeLink(tx, {
      purpose: 'password',
      personId,
      madeBy: actor,
      madeByPerson: asked.person?.id,
    });
    await recordAction(tx, { actor, action: 'person.password_link', subject: personId });
    return made;
  });
  return { status: 201, body: createdInvitationView(service, link) };
}

export async function postClosePerson({ lifecycle }: Service, asked: Asked): Promise<Answer> {
  const { actor } = asked;
  const person = await lifecycle.db.transaction(async (tx) => {
    // With the token another administrator can be made at any time; from a session, nobody could.
    const closed = await closePerson(tx, asked.params.id!, {
      leavesOne: asked.person !== undefined,
    });
    await endSessions(tx, { personId: closed.id });
    await revokeLinksBy(tx, { personId: closed.id });
    await revokePasswordLinks(tx, closed.id);
    await recordAction(tx, { actor, action: 'person.close', subject: closed.id });
    return closed;
  });
  return { body: personView(person, await accountsOf(lifecycle.db, person.id)) };
}
