/** Lists all people of the installation, newest first, closed ones too. */
import { ListPeopleQuery, ListPeopleResponse } from '@vidgen/contract/people.ts';
import { listAccountsByPerson } from '../../accounts/membership.ts';
import { listPeople as listPersonRows } from '../../accounts/person.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { pageOf } from '../http/samples.ts';
import { listedPerson } from './samples.ts';
import { personView } from './views.ts';

export const listPeople = endpoint({
  operationId: 'listPeople',
  method: 'GET',
  path: '/admin/people',
  summary: 'Everybody who can sign in',
  description: 'Newest first, closed ones too.',
  auth: 'admin',
  query: ListPeopleQuery,
  responses: {
    200: {
      description: 'A page of people.',
      schema: ListPeopleResponse,
      examples: { one: ['The last page', pageOf(listedPerson)] },
    },
  },
  async handler({ lifecycle: { db } }, request) {
    const page = await listPersonRows(db, parseQuery(ListPeopleQuery, request.query));
    const accounts = await listAccountsByPerson(
      db,
      page.items.map(({ id }) => id),
    );
    const items = page.items.map((person) => personView(person, accounts.get(person.id) ?? []));
    return { body: { items, next_cursor: page.nextCursor } };
  },
});
