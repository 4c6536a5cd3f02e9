/** Lists of this room in pages, newest first. A cursor is the id of the last item already seen. */
import { ApiError } from '../api-error.ts';

export type PageRequest = {
  readonly cursor?: string | undefined;
  readonly limit: number;
};

export type Page<T> = {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
};

/** Takes one row more than was asked for: not shown, it tells that there is a next page. */
export function pageOf<T extends { readonly id: string }>(
  rows: readonly T[],
  limit: number,
): Page<T> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}

/** The cursor to ask the database with. A client may send anything; the pattern keeps it an id. */
export function cursorOf({ cursor }: PageRequest, pattern: RegExp): string | null {
  if (cursor === undefined) return null;
  if (pattern.test(cursor)) return cursor;
  throw new ApiError('invalid_request', 'cursor must be a next_cursor of this list');
}
