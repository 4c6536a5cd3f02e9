/** Lists all people of the installation, closed ones too: searched, filtered and sorted. */
import { ListPeopleQuery, ListPeopleResponse } from '@vidgen/contract/people.ts';
import { endpoint } from '../http/endpoint.ts';
import { parseQuery } from '../http/parse-request.ts';
import { pageOf } from '../http/samples.ts';
import { listPersonViews, personFilterOf } from './person-list.ts';
import { listedPerson } from './samples.ts';

export const listPeople = endpoint({
  parsesItself: true,
  operationId: 'listPeople',
  method: 'GET',
  path: '/admin/people',
  summary: 'List people',
  description: 'Newest first by default; includes deactivated people.',
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
    const filter = personFilterOf(parseQuery(ListPeopleQuery, request.query));
    const { items, nextCursor } = await listPersonViews(db, filter);
    return { body: { items, next_cursor: nextCursor } };
  },
});
