/** Pages of a list, newest first. The cursor is the ID of the last item on the previous page. */
import { ApiError } from '@vidgen/contract/api-error.ts';
import { listCountMax } from '@vidgen/contract/list-count.ts';
import type { Queryable } from './database.ts';

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

/** Counts the rows of `from …`, up to 10,000: it reads no more entries of an index than that. */
export async function countRows(
  db: Queryable,
  fromSql: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from (select ${fromSql} limit ${listCountMax}) counted`,
    [...values],
  );
  return rows[0]!.total;
}

export const invalidCursor = (): ApiError =>
  new ApiError('invalid_request', 'cursor must be a next_cursor of this list');
