/** What the list of people and its export share. */
import type { ListedPerson, ListPeopleQuery } from '@vidgen/contract/people.ts';
import type { z } from 'zod';
import { listAccountsByPerson } from '../../accounts/people/membership.ts';
import { listPeople, type PersonFilter } from '../../accounts/people/search-people.ts';
import type { Queryable } from '../../database/database.ts';
import { personView } from './views.ts';

export const personFilterOf = (query: z.infer<typeof ListPeopleQuery>): PersonFilter => ({
  search: query.q,
  sort: query.sort,
  isClosed: query.status && query.status === 'closed',
  isAdministrator: query.role && query.role === 'administrator',
  cursor: query.cursor,
  limit: query.limit,
});

export async function listPersonViews(
  db: Queryable,
  filter: PersonFilter,
): Promise<{ items: ListedPerson[]; nextCursor: string | null }> {
  const page = await listPeople(db, filter);
  const accounts = await listAccountsByPerson(
    db,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((person) => personView(person, accounts.get(person.id) ?? []));
  return { items, nextCursor: page.nextCursor };
}
