/**
 * The part of a table's state that is in the URL: sort order, number of loaded pages, expanded row.
 */
import { type SearchSchemaInput, useNavigate, useSearch } from '@tanstack/react-router';

type TableSearch = {
  /**
   * A column, such as `created`, or `-created` for descending order. Absent: the order of the
   * service.
   */
  readonly sort?: string;
  /** Present from 2 on. */
  readonly pages?: number;
  /** The ID of the expanded row. */
  readonly open?: string;
};

/** Limits the requests of a reload, which loads all pages again. */
const pagesMax = 20;

export function tableSearch(search: Partial<TableSearch> & SearchSchemaInput): TableSearch {
  const { sort, pages, open } = search;
  return {
    ...(typeof sort === 'string' && /^-?[a-z_]+$/.test(sort) ? { sort } : {}),
    ...(Number.isInteger(pages) && Number(pages) > 1
      ? { pages: Math.min(Number(pages), pagesMax) }
      : {}),
    ...(typeof open === 'string' && open !== '' ? { open } : {}),
  };
}

export type TableUrlState = TableSearch & {
  change(changes: { readonly [Name in keyof TableSearch]: TableSearch[Name] | undefined }): void;
};

export function useTableUrlState(): TableUrlState {
  const search = tableSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  return {
    ...search,
    change: (changes) =>
      void navigate({
        to: '.',
        search: (before) => ({ ...before, ...changes }) as typeof before,
        replace: true,
        resetScroll: false,
      }),
  };
}
