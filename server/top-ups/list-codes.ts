/** The list of redemption codes: searched, filtered and sorted by the database. */
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { Queryable } from '../database/database.ts';
import {
  type SortColumn,
  type SortedRequest,
  sortColumnOf,
  sortedPage,
  sortList,
} from '../database/sorted-list.ts';
import { type Code, type CodeStatus, codeColumns, codeIdPattern, codeStatusSql } from './codes.ts';

export type CodeFilter = SortedRequest & {
  /** Words of the note, the last four characters, or who created it. */
  readonly search?: string | undefined;
  readonly status?: CodeStatus | undefined;
  readonly mode?: KeyMode | undefined;
  /** The account that redeemed it. */
  readonly accountId?: string | undefined;
};

/** IDs sort by creation time. */
const sortColumns: Readonly<Record<string, SortColumn>> = {
  created: { sql: 'id', kind: 'text' },
  amount: { sql: 'amount', kind: 'integer' },
};

const searchSql = `and id in (select id from redemption_codes
  where search_words(note || ' ' || last_four || ' ' || created_by) @@ search_query($3))`;

export async function listCodes(
  db: Queryable,
  filter: CodeFilter,
): Promise<{ items: readonly Code[]; nextCursor: string | null }> {
  const list = sortList(filter, sortColumns[sortColumnOf(filter)]!, {
    sql: 'id',
    type: 'text',
    pattern: codeIdPattern,
  });
  const { rows } = await db.query<Code & { sortKey: string }>(
    `select ${codeColumns}, ${list.keySql} from redemption_codes
     where ${list.conditionSql} ${filter.search === undefined ? 'and $3::text is null' : searchSql}
       and ($4::text is null or ${codeStatusSql} = $4) and ($5::text is null or mode = $5)
       and ($6::uuid is null or account_id = $6)
     order by ${list.orderSql} limit $7`,
    [
      ...list.values,
      filter.search ?? null,
      filter.status ?? null,
      filter.mode ?? null,
      filter.accountId ?? null,
      filter.limit + 1,
    ],
  );
  return sortedPage(rows, filter.limit);
}
