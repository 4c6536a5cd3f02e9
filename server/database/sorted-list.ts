/**
 * Pages of a list that is sorted by a column and the ID. A cursor has the values of the last row,
 * so the next page continues after it even if the row has changed or is gone.
 */
import type { Row } from './database.ts';
import { invalidCursor, type Page } from './page.ts';

/** Of the values; the SQL of a time must not be null or infinite. */
const kinds = {
  text: { pattern: /^/, toText: (sql: string) => sql, toValue: (sql: string) => `${sql}::text` },
  integer: {
    pattern: /^-?\d{1,18}$/,
    toText: (sql: string) => `(${sql})::text`,
    toValue: (sql: string) => `${sql}::bigint`,
  },
  // PostgreSQL counts microseconds.
  time: {
    pattern: /^\d{1,16}$/,
    toText: (sql: string) => `(extract(epoch from ${sql}) * 1000000)::bigint::text`,
    toValue: (sql: string) => `(to_timestamp(0) + ${sql}::bigint * interval '1 microsecond')`,
  },
} as const;

export type SortColumn = { readonly sql: string; readonly kind: keyof typeof kinds };

export type SortedRequest = {
  /** The name of a column, after `-` for descending order; by default the newest first. */
  readonly sort?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

export type SortedList = {
  /** Belongs into the `select` list. */
  readonly keySql: string;
  /** True without a cursor. */
  readonly conditionSql: string;
  readonly orderSql: string;
  /** Are those of `$1` and `$2`, which are used with a cursor only. */
  readonly values: readonly [string | null, string | null];
};

const defaultSort = '-created';

/** Returns the column that a list is sorted by, without its `-`. */
export const sortColumnOf = ({ sort = defaultSort }: SortedRequest): string =>
  sort.replace(/^-/, '');

/** `id` is the SQL of the ID with the type of `$2`. Throws `invalid_request` for a wrong cursor. */
export function sortList(
  { sort = defaultSort, cursor }: SortedRequest,
  { sql, kind }: SortColumn,
  id: { readonly sql: string; readonly type: 'uuid' | 'text'; readonly pattern: RegExp },
): SortedList {
  const isDescending = sort.startsWith('-');
  const { pattern, toText, toValue } = kinds[kind];
  const order = isDescending ? ' desc' : '';
  const after = cursor === undefined ? null : decodeCursor(cursor);
  if (after && !(pattern.test(after[0]) && id.pattern.test(after[1]))) throw invalidCursor();
  return {
    keySql: `${toText(sql)} as "sortKey"`,
    conditionSql: after
      ? `(${sql}, ${id.sql}) ${isDescending ? '<' : '>'} (${toValue('$1')}, $2::${id.type})`
      : '($1::text is null and $2::text is null)',
    orderSql: `${sql}${order}, ${id.sql}${order}`,
    values: after ?? [null, null],
  };
}

/** Expects `limit + 1` rows; the extra row only shows that there is a next page. */
export function sortedPage<R extends Row & { readonly id: string; readonly sortKey: string }>(
  rows: readonly R[],
  limit: number,
): Page<Omit<R, 'sortKey'>> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(({ sortKey: _, ...item }) => item),
    nextCursor: last ? encodeCursor([last.sortKey, last.id]) : null,
  };
}

const encodeCursor = (values: readonly [string, string]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

function decodeCursor(cursor: string): readonly [string, string] {
  try {
    const [key, id, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isPair = typeof key === 'string' && typeof id === 'string' && rest.length === 0;
    // PostgreSQL rejects text with NUL.
    if (isPair && !key.includes('\0') && key.isWellFormed()) return [key, id];
  } catch {}
  throw invalidCursor();
}
