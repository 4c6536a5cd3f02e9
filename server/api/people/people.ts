/** People of the installation, as administrators see and change them. */
import type { AuditAction } from '@vidgen/contract/admin-audit.ts';
import { invalidRequest } from '@vidgen/contract/api-error.ts';
import {
  CreatedInvitation,
  ListedPerson,
  ListPeopleQuery,
  ListPeopleResponse,
} from '@vidgen/contract/people.ts';
import { recordAudit } from '../../accounts/audit-log.ts';
import { findIdentity, unlinkIdentities } from '../../accounts/people/identity.ts';
import { listAccountsByPerson, listPersonAccounts } from '../../accounts/people/membership.ts';
import {
  createLink,
  revokeLinksOfPerson,
  revokePasswordLinks,
} from '../../accounts/people/one-time-link.ts';
import * as persons from '../../accounts/people/person.ts';
import { type PersonFilter, searchPeople } from '../../accounts/people/search-people.ts';
import { removeSecondFactor } from '../../accounts/people/second-factor.ts';
import { endSessions } from '../../accounts/people/session.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { queueSecurityMail } from '../../messages/security-mail.ts';
import { type CsvColumn, fieldColumns } from '../http/csv.ts';
import { endpoint, jsonResponse } from '../http/endpoint.ts';
import type { EndpointDefinition } from '../http/endpoint-definition.ts';
import type { ApiRequest } from '../http/handler.ts';
import { fileListDescription, listResponse } from '../http/list-response.ts';
import { createdAt } from '../http/samples.ts';
import { unixSeconds, unixSecondsOrNull } from '../http/timestamps.ts';
import { createdLinkResponse, queueLinkMail } from './invitations.ts';
import { ownAccount, passwordLink, person as personSample } from './samples.ts';

const listedPerson = {
  ...personSample,
  created_at: createdAt,
  last_seen_at: createdAt + 3600,
  closed_at: null,
  second_factor: true,
  single_sign_on: false,
  accounts: [ownAccount],
};

const personView = (
  person: persons.Person,
  accounts: readonly persons.PersonAccount[],
): ListedPerson => ({
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

async function findPersonViews(db: Queryable, filter: PersonFilter) {
  const { items, nextCursor } = await searchPeople(db, filter);
  const personIds = items.map(({ id }) => id);
  const accounts = await listAccountsByPerson(db, personIds);
  const views = items.map((person) => personView(person, accounts.get(person.id) ?? []));
  return { items: views, nextCursor };
}

const columns: readonly CsvColumn<ListedPerson>[] = [
  ...fieldColumns('id', 'name', 'email'),
  ['administrator', ({ administrator }) => String(administrator)],
  ['accounts', ({ accounts }) => accounts.map(({ name, role }) => `${name} (${role})`).join(', ')],
  ...fieldColumns('created_at', 'last_seen_at', 'closed_at'),
];

const listPeople = endpoint({
  operationId: 'listPeople',
  method: 'GET',
  path: '/admin/people',
  summary: 'List people',
  description: 'Newest first by default; includes deactivated people.',
  auth: 'admin',
  query: ListPeopleQuery,
  responses: { 200: fileListDescription(ListPeopleResponse, listedPerson) },
  errors: { rate_limited: true },
  async handler(services, request) {
    const { db } = services.lifecycle;
    const { q, sort, status, role } = request.query;
    const filter = { q, sort, status, role };
    return await listResponse(services, request, {
      columns,
      contentName: 'people',
      list: (counting, limit) => searchPeople(counting, { ...filter, limit }),
      read: (page) => findPersonViews(db, { ...filter, ...page }),
    });
  },
});

const isDeactivated = 'This person’s access is deactivated.';

/** Revokes the person's previous link. The old password works until the new link is used. */
const createPasswordLink = endpoint({
  operationId: 'makePasswordLink',
  method: 'POST',
  path: '/admin/people/:id/password-link',
  summary: 'Create a password reset link',
  description:
    'For a person who forgot their password; people of the OpenID provider have none. It works ' +
    'once, for a day, and replaces the one before it. It is sent by email, too, if the ' +
    'installation sends mail.',
  auth: 'admin',
  requiresConfirmation: true,
  responses: {
    201: jsonResponse('The link, to be handed to the person.', CreatedInvitation, {
      one: ['A link', passwordLink],
    }),
  },
  errors: { invalid_request: isDeactivated },
  async handler(services, request) {
    const { actor } = request;
    const { lifecycle, openid } = services;
    const { id: personId, closedAt } = await persons.getPerson(lifecycle.db, request.params.id!);
    if (closedAt) throw invalidRequest(isDeactivated);
    const created = await request.transaction(async (tx) => {
      await persons.lockPerson(tx, personId);
      const issuer = openid?.settings.issuer;
      if (issuer !== undefined && (await findIdentity(tx, { personId, issuer })) !== null) {
        const message = `This person signs in with ${openid!.settings.name}; unlink it first.`;
        throw invalidRequest(message);
      }
      await revokePasswordLinks(tx, personId);
      const link = await createLink(tx, {
        purpose: 'password',
        personId,
        createdBy: actor,
        createdByPersonId: request.person?.id,
      });
      await recordAudit(tx, { actor, action: 'person.password_link', subject: personId });
      return { link, emailed: await queueLinkMail(services, tx, link) };
    });
    return createdLinkResponse(services, created);
  },
});

const deactivatePerson = personChange({
  operationId: 'closePerson',
  path: '/admin/people/:id/close',
  summary: 'Deactivate a person',
  description: 'All sessions of the person end, and links the person made no longer work.',
  response: 'The closed person.',
  example: ['Closed', { ...listedPerson, closed_at: listedPerson.created_at + 7200 }],
  errors: {
    invalid_request: 'You can’t deactivate the last administrator; invite another one first.',
  },
  action: 'person.close',
  async change(tx, personId, request) {
    // The admin token can always invite another administrator. A session could not.
    const keepLastAdmin = request.person !== undefined;
    await persons.deactivatePerson(tx, personId, { keepLastAdmin });
    await endSessions(tx, { personId });
    await revokeLinksOfPerson(tx, { personId });
    await revokePasswordLinks(tx, personId);
    return true;
  },
});

const resetSecondFactor = personChange({
  operationId: 'resetSecondFactor',
  path: '/admin/people/:id/reset-second-factor',
  summary: 'Turn off a person’s two-factor authentication',
  description:
    'For a person who lost their device and recovery codes. The password alone then signs them ' +
    'in, so make sure that the person is who they say. Without a second factor, nothing changes.',
  response: 'The person.',
  example: ['Turned off', { ...listedPerson, second_factor: false }],
  action: 'person.reset_second_factor',
  mail: 'second_factor_reset',
  change: removeSecondFactor,
});

/** Only administrators do: a person whom the provider locks out must not go back to a password. */
const unlinkIdentity = personChange({
  operationId: 'unlinkIdentity',
  path: '/admin/people/:id/unlink-identity',
  summary: 'Unlink a person’s sign-in by OpenID Connect',
  description:
    'For a person who linked the wrong login, or no longer has one. All their sessions end. They ' +
    'sign in with the password of before, or get one by a reset link. Without a linked login, ' +
    'nothing changes.',
  response: 'The person.',
  example: ['Unlinked', { ...listedPerson, single_sign_on: false }],
  action: 'person.unlink_identity',
  mail: 'identity_unlinked',
  async change(tx, personId) {
    if (!(await unlinkIdentities(tx, personId))) return false;
    await endSessions(tx, { personId });
    return true;
  },
});

type PersonChange = Pick<
  EndpointDefinition,
  'operationId' | 'path' | 'summary' | 'description' | 'errors'
> & {
  readonly response: string;
  readonly example: readonly [summary: string, value: unknown];
  readonly action: AuditAction;
  readonly mail?: 'second_factor_reset' | 'identity_unlinked';
  /** Returns false if there was nothing to change. */
  change(tx: Transaction, personId: string, request: ApiRequest): Promise<boolean>;
};

/** An administrator's change of a person: one commit with its audit entry and its mail. */
function personChange(options: PersonChange) {
  const { response, example, action, mail, change, ...definition } = options;
  return endpoint({
    ...definition,
    method: 'POST',
    auth: 'admin',
    requiresConfirmation: true,
    responses: {
      200: { description: response, schema: ListedPerson, examples: { one: example } },
    },
    async handler({ lifecycle: { db }, messages }, request) {
      const { id: personId } = await persons.getPerson(db, request.params.id!);
      const person = await request.transaction(async (tx) => {
        const isChanged = await change(tx, personId, request);
        const changed = await persons.getPerson(tx, personId);
        if (!isChanged) return changed;
        await recordAudit(tx, { actor: request.actor, action, subject: personId });
        if (mail) await queueSecurityMail(tx, messages, changed.email, { kind: mail });
        return changed;
      });
      return { body: personView(person, await listPersonAccounts(db, personId)) };
    },
  });
}

export const personEndpoints = [
  listPeople,
  createPasswordLink,
  deactivatePerson,
  resetSecondFactor,
  unlinkIdentity,
];
