/** The response format of lists, and the parts of their queries. */

import { z } from 'zod';
import { listCountMax } from './list-count.ts';
import { keyModes } from './models.ts';

/** Newest first. `next_cursor` is null on the last page. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next_cursor: nullableText('Send as `cursor` for the next page; null on the last.'),
  });

/** A list whose first page says how long it is. */
export const countedListOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).extend({
    total: z
      .int()
      .min(0)
      .max(listCountMax)
      .optional()
      .describe(
        'On the first page: how many match, counted up to 10,000. Missing where all are on it, ' +
          'and where counting would take long.',
      ),
  });

/** Query values are text. Anything that is not clearly an integer is rejected. */
export const integerParam = ({ min, max }: { readonly min: number; readonly max: number }) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be an integer of ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

/**
 * Parses Unix seconds, as in `created_at`, or ISO 8601 with a zone, in the years 1 to 9999 of UTC;
 * null for anything else.
 */
export function parseTimestamp(text: string): Date | null {
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (!isIso && !/^\d{1,11}$/.test(text)) return null;
  if (isIso && !isOnCalendar(text)) return null;
  const timestamp = new Date(isIso ? text : Number(text) * 1000);
  // PostgreSQL has no year 0, and ISO 8601 no fifth digit. NaN is in no range.
  const year = timestamp.getUTCFullYear();
  return year >= 1 && year <= 9999 ? timestamp : null;
}

/** Without this check, `Date` would turn February 30 into March 2 and hour 24 into the next day. */
function isOnCalendar(iso: string): boolean {
  const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(iso.slice(0, 10));
  return isDay && Number(iso.slice(11, 13)) < 24;
}

const timestampRule =
  'must be Unix seconds or an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z';

/** A timestamp in a body. */
export const timestampField = () =>
  z
    .union([z.int(), z.string()], timestampRule)
    .refine((value) => parseTimestamp(String(value)) !== null, timestampRule);

export const unixSeconds = (description: string) => z.int().min(0).describe(description);
export const nullableText = (description: string) => z.string().nullable().describe(description);

const timestampParam = () =>
  z
    .string()
    .refine((text) => parseTimestamp(text) !== null, timestampRule)
    .transform((text) => parseTimestamp(text) ?? z.NEVER)
    .pipe(z.date())
    .meta({ anyOf: [{ type: 'integer' }, { type: 'string', format: 'date-time' }] });

const pageSizeMax = 100;

/** The query parameters of every list. */
export const pageQuery = {
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('`next_cursor` of the page before. Opaque; the filters must be the same.'),
  limit: integerParam({ min: 1, max: pageSizeMax })
    .default(20)
    .describe('Items per page, 1 to 100. Default 20.'),
};

export const createdQuery = {
  created_after: timestampParam()
    .optional()
    .describe('Only what was created at this time or later: Unix seconds or ISO 8601.'),
  created_before: timestampParam()
    .optional()
    .describe('Only what was created before this time: Unix seconds or ISO 8601.'),
};

export const modeQuery = { mode: z.enum(keyModes).optional().describe('Only `live` or `test`.') };

/** The only parameter of most paths. A malformed ID is `not_found`, like an unknown one. */
export const idParams = (description: string) => z.object({ id: z.string().describe(description) });

/** What a list is searched by: every word, each as the beginning of a word. */
export const searchQuery = (description: string) => ({
  q: z.string().min(1).max(200).optional().describe(description),
});

/** `-` before a column: descending, which the newest first are. */
export const sortQuery = (columns: readonly string[]) => ({
  sort: z
    .enum(columns.flatMap((column) => [column, `-${column}`]))
    .optional()
    .meta({ default: '-created' })
    .describe('The order; `-`: descending. Default: newest first.'),
});

export const accountQuery = (description: string) => ({
  account_id: z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be the ID of an account')
    .optional()
    .describe(description),
});

export const formatQuery = {
  format: z
    .enum(['csv', 'json'])
    .optional()
    .describe('Everything that matches as a file; `json` is one array. Ignores the page.'),
};
/** The query parameters of a list that can be a file. */
export const filePageQuery = { ...pageQuery, ...formatQuery };
