/** Operators: everybody who can sign in here, and the links that let somebody in again. */
import { ListPeopleQuery } from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { listAccountsByPerson, listPersonAccounts } from '../../accounts/membership.ts';
import {
  createLink,
  revokeLinksOfPerson,
  revokePasswordLinks,
} from '../../accounts/one-time-link.ts';
import { deactivatePerson, getPerson, listPeople } from '../../accounts/person.ts';
import { endSessions } from '../../accounts/session.ts';
import { ApiError } from '../../api-error.ts';
import type { ApiRequest, ApiResponse, ApiServices } from '../http/handler.ts';
import { parseQuery } from '../http/parse-request.ts';
import { createdInvitationView, personView } from './views.ts';

export async function getPeople(
  { lifecycle: { db } }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const page = await listPeople(db, parseQuery(ListPeopleQuery, request.query));
  const accounts = await listAccountsByPerson(
    db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((person) => personView(person, accounts.get(person.id) ?? []));
  return { body: { items, next_cursor: page.nextCursor } };
}

/** Also the way back in: whoever holds the admin token can always make an administrator. */
export async function postAdministrator(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { actor, person } = request;
  const link = await services.lifecycle.db.transaction(async (tx) => {
    const created = await createLink(tx, {
      purpose: 'administrator',
      createdBy: actor,
      createdByPersonId: person?.id,
    });
    await recordAudit(tx, { actor, action: 'administrator.invite', subject: created.id });
    return created;
  });
  return { status: 201, body: createdInvitationView(services, link) };
}

/** A new link replaces the one before it; the old password works until the link is used. */
export async function postPasswordLink(
  services: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { actor } = request;
  const person = await getPerson(services.lifecycle.db, request.params.id!);
  if (person.closedAt) {
    throw new ApiError('invalid_request', 'The person is closed and cannot sign in any more.');
  }
  const personId = person.id;
  const link = await services.lifecycle.db.transaction(async (tx) => {
    await revokePasswordLinks(tx, personId);
    const created = await createLink(tx, {
      purpose: 'password',
      personId,
      createdBy: actor,
      createdByPersonId: request.person?.id,
    });
    await recordAudit(tx, { actor, action: 'person.password_link', subject: personId });
    return created;
  });
  return { status: 201, body: createdInvitationView(services, link) };
}

export async function postDeactivatePerson(
  { lifecycle }: ApiServices,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { actor } = request;
  const person = await lifecycle.db.transaction(async (tx) => {
    // With the token another administrator can be made at any time; from a session, nobody could.
    const deactivated = await deactivatePerson(tx, request.params.id!, {
      keepLastAdmin: request.person !== undefined,
    });
    await endSessions(tx, { personId: deactivated.id });
    await revokeLinksOfPerson(tx, { personId: deactivated.id });
    await revokePasswordLinks(tx, deactivated.id);
    await recordAudit(tx, { actor, action: 'person.close', subject: deactivated.id });
    return deactivated;
  });
  return { body: personView(person, await listPersonAccounts(lifecycle.db, person.id)) };
}
