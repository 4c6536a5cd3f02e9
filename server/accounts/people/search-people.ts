/** The list of all people: searched, filtered and sorted by the database. */
import type { ListPeopleQuery } from '@vidgen/contract/people.ts';
import type { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { Page } from '../../database/page.ts';
import {
  type SortColumn,
  type SortedRequest,
  sortColumnOf,
  sortedPage,
  sortList,
} from '../../database/sorted-list.ts';
import { uuidPattern } from '../uuid.ts';
import { type Person, personColumns } from './person.ts';

export type PersonFilter = SortedRequest &
  Readonly<Pick<z.infer<typeof ListPeopleQuery>, 'q' | 'status' | 'role'>>;

/** Repeats the expressions of the indexes. */
const sortColumns: Readonly<Record<string, SortColumn>> = {
  created: { sql: 'created_at', kind: 'time' },
  name: { sql: 'left(lower(name), 64) collate "C"', kind: 'text' },
  last_seen: { sql: 'coalesce(last_seen_at, to_timestamp(0))', kind: 'time' },
};

export async function searchPeople(db: Queryable, filter: PersonFilter): Promise<Page<Person>> {
  const list = sortList(filter, sortColumns[sortColumnOf(filter)]!, {
    sql: 'id',
    type: 'uuid',
    pattern: uuidPattern,
  });
  // A subquery, so that the words are looked up first, and not while reading in order.
  const searchSql = `and id in (
    select id from people where search_words(name || ' ' || email) @@ search_query($3))`;
  const { rows } = await db.query<Person & { sortKey: string }>(
    `select ${personColumns}, ${list.keySql} from people
     where ${list.conditionSql} ${filter.q === undefined ? 'and $3::text is null' : searchSql}
       and ($4::text is null or (closed_at is not null) = ($4 = 'closed'))
       and ($5::text is null or administrator = ($5 = 'administrator'))
     order by ${list.orderSql} limit $6`,
    [
      ...list.values,
      filter.q ?? null,
      filter.status ?? null,
      filter.role ?? null,
      filter.limit + 1,
    ],
  );
  return sortedPage(rows, filter.limit);
}
