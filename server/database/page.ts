/** Pages of a list, newest first. The cursor is the ID of the last item on the previous page. */
import { ApiError } from '@vidgen/contract/api-error.ts';

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

export const invalidCursor = (): ApiError =>
  new ApiError('invalid_request', 'cursor must be a next_cursor of this list');
