/** Reads search parameters of a page: anything that is not valid is dropped. */

export const oneOf = <Value extends string>(
  values: readonly Value[],
  value: unknown,
): Value | undefined => values.find((candidate) => candidate === value);

/** A text of up to 200 characters. A number was text before the router parsed it. */
export function textParam(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text.slice(0, 200) : undefined;
}

/** A day in UTC, such as `2026-01-31`. */
export const dayParam = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** Leaves out what is not set. */
export function withoutEmpty<Search extends object>(
  search: {
    readonly [Name in keyof Search]: Search[Name] | undefined;
  },
): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as Search;
}

/** The API query of a range of days, both inclusive. */
export const createdQueryOf = (range: {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}): Record<string, string> => ({
  ...(range.from ? { created_after: `${range.from}T00:00:00Z` } : {}),
  ...(range.until ? { created_before: dayAfter(range.until) } : {}),
});

const dayAfter = (text: string): string =>
  new Date(Date.parse(text) + 86_400_000).toISOString().replace('.000Z', 'Z');
