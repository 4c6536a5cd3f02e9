/**
 * The search parameters of pages: filters by the names of the API, and the API query that they
 * become. Anything that is not valid is dropped.
 */
import type { SearchSchemaInput } from '@tanstack/react-router';

const names = [
  ...(['q', 'status', 'role', 'balance_max', 'has_tasks', 'subject', 'actor', 'action'] as const),
  ...(['account_id', 'billing_status', 'failed_reason', 'model', 'key_id', 'provider'] as const),
  ...(['kind', 'from', 'until', 'days', 'by', 'part', 'month', 'dialog', 'checkout'] as const),
  ...(['connect', 'code', 'problem'] as const),
];
/** `from` and `until` are days in UTC, such as `2026-01-31`, both inclusive. */
type FilterName = (typeof names)[number] | 'mode';
type PageSearch = { readonly [Name in (typeof names)[number]]?: string };
export type FilterValues = { readonly [Name in FilterName]?: string | undefined };
/** By the name of the filter. Without options, any text is valid. */
export type Filters<Filter = object> = {
  readonly [Name in FilterName]?: Filter & { readonly options?: Readonly<Record<string, string>> };
};

/** Reads those of all pages; each picks its own with `readFilters`. */
export const pageSearch = (search: PageSearch & SearchSchemaInput): PageSearch =>
  pickTexts(search, names);

export function readFilters(search: object, filters: Filters): FilterValues {
  const isValid = ([name, value]: [string, string]) => {
    if (name === 'from' || name === 'until') {
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
    }
    const options = filters[name as FilterName]?.options;
    return options === undefined || Object.hasOwn(options, value);
  };
  const values = pickTexts(search, Object.keys(filters));
  return Object.fromEntries(Object.entries(values).filter(isValid));
}

/** Texts of up to 200 characters. Numbers and booleans were text before the router parsed them. */
function pickTexts(search: object, wanted: readonly string[]): Readonly<Record<string, string>> {
  const texts = Object.entries(search)
    .filter(([name, value]) => wanted.includes(name) && typeof value !== 'object')
    .map(([name, value]) => [name, String(value ?? '').slice(0, 200)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

type FilterQuery = Readonly<Record<string, string | undefined>>;

/** Returns the query of the list and of its export. */
export const queryOf = ({ from, until, ...same }: FilterValues): FilterQuery => ({
  ...same,
  ...(from ? { created_after: `${from}T00:00:00Z` } : {}),
  ...(until ? { created_before: dayAfter(until) } : {}),
});

const dayAfter = (text: string): string =>
  new Date(Date.parse(text) + 86_400_000).toISOString().replace('.000Z', 'Z');
