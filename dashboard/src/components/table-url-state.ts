/**
 * What the address of a page carries of its table: by what it is sorted, how many pages of it are
 * loaded, and which row is unfolded. Who opens the link sees the same.
 */
import { type SearchSchemaInput, useNavigate, useSearch } from '@tanstack/react-router';

type TableSearch = {
  /** A column, `created`, or downwards `-created`; as the service has it where absent. */
  readonly sort?: string;
  /** From 2: one is what there is anyway. */
  readonly pages?: number;
  /** The id of a row. */
  readonly open?: string;
};

/** More than anybody scrolls through, and few enough to be asked for again on a reload. */
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
