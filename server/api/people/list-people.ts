/** Lists all people of the installation, closed ones too: searched, filtered and sorted. */
import { type ListedPerson, ListPeopleQuery, ListPeopleResponse } from '@vidgen/contract/people.ts';
import { listAccountsByPerson } from '../../accounts/people/membership.ts';
import * as people from '../../accounts/people/search-people.ts';
import type { CsvColumn } from '../http/csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { fileListDescription, isoTimestamp, listResponse } from '../http/list-response.ts';
import { listedPerson } from './samples.ts';
import { personView } from './views.ts';

const columns: readonly CsvColumn<ListedPerson>[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['email', ({ email }) => email],
  ['administrator', ({ administrator }) => String(administrator)],
  ['accounts', ({ accounts }) => accounts.map(({ name, role }) => `${name} (${role})`).join(', ')],
  ['created_at', ({ created_at }) => isoTimestamp(created_at)],
  ['last_seen_at', ({ last_seen_at }) => isoTimestamp(last_seen_at)],
  ['closed_at', ({ closed_at }) => isoTimestamp(closed_at)],
];

export const listPeople = endpoint({
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
    const isClosed = status && status === 'closed';
    const isAdministrator = role && role === 'administrator';
    return await listResponse(services, request, {
      columns,
      contentName: 'people',
      async read(page) {
        const filter = { search: q, sort, isClosed, isAdministrator, ...page };
        const { items: rows, nextCursor } = await people.listPeople(db, filter);
        const accounts = await listAccountsByPerson(
          db,
          rows.map(({ id }) => id),
        );
        const items = rows.map((person) => personView(person, accounts.get(person.id) ?? []));
        return { items, nextCursor };
      },
    });
  },
});
