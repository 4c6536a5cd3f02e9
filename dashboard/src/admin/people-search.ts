/** The search parameters of the list of people, and the query of the list and its export. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { oneOf, textParam, withoutEmpty } from '../components/search-params.ts';

export type PeopleSearch = {
  readonly q?: string;
  readonly status?: 'open' | 'closed';
  readonly role?: 'administrator' | 'member';
};

export const peopleSearch = (search: Partial<PeopleSearch> & SearchSchemaInput): PeopleSearch =>
  withoutEmpty<PeopleSearch>({
    q: textParam(search.q),
    status: oneOf(['open', 'closed'], search.status),
    role: oneOf(['administrator', 'member'], search.role),
  });

export const peopleQueryOf = (
  search: PeopleSearch,
  sort: string | undefined,
): Record<string, string> => ({
  ...search,
  ...(sort && ['name', 'last_seen', 'created'].includes(sort.replace('-', '')) ? { sort } : {}),
});
