/** Pages of a list, newest first. The cursor is the ID of the last item on the previous page. */
import assert from 'node:assert/strict';
import { type ApiError, invalidRequest } from '@vidgen/contract/api-error.ts';
import { listCountMax } from '@vidgen/contract/list-count.ts';
import {
  type Database,
  type PreparedStatement,
  type Queryable,
  type Row,
  type Rows,
  sqlState,
  type Transaction,
} from './database.ts';

export type PageRequest = {
  readonly cursor?: string | undefined;
  readonly limit: number;
};

export type Page<T> = {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
};

/** Expects `limit + 1` rows; the extra row only shows that there is a next page. */
export function pageOf<T extends { readonly id: string }>(
  rows: readonly T[],
  limit: number,
): Page<T> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}

/**
 * Returns the cursor for the query. Clients can send any text; the pattern makes sure it is an ID.
 */
export function cursorOf({ cursor }: PageRequest, pattern: RegExp): string | null {
  if (cursor === undefined) return null;
  if (pattern.test(cursor)) return cursor;
  throw invalidCursor();
}

/** Counting that takes longer is given up: few of many rows match. */
const countMsMax = 250;
const statementTimeout = '57014';

/**
 * How long a list is, up to 10,000: the rows of the statement of `list`, of which there must be
 * exactly one, are counted and not read. Undefined if that takes too long.
 */
export async function countList(
  db: Database,
  list: (db: Queryable, limit: number) => Promise<unknown>,
): Promise<number | undefined> {
  let total: number | undefined;
  const countIn = async (tx: Transaction) => {
    const query: Queryable['query'] = async <R extends Row>(
      statement: string | PreparedStatement,
      values?: readonly unknown[],
    ): Promise<Rows<R>> => {
      const text = typeof statement === 'string' ? statement : statement.text;
      const counted = `select count(*)::int as total from (${text}) listed`;
      assert(total === undefined, 'a list that is counted must be one statement');
      total = (await tx.query<{ total: number }>(counted, values)).rows[0]!.total;
      return { rows: [], rowCount: 0 };
    };
    await list({ query }, listCountMax);
    assert(total !== undefined, 'a list that is counted must be one statement');
  };
  try {
    await db.transaction(countIn, { statementMsMax: countMsMax });
  } catch (error) {
    if (sqlState(error) !== statementTimeout) throw error;
  }
  return total === undefined ? undefined : Math.min(total, listCountMax);
}

export const invalidCursor = (): ApiError =>
  invalidRequest('cursor must be a next_cursor of this list');
