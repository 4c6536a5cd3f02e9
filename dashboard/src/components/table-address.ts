/**
 * What the address of a page carries of its table: by what it is sorted, how many pages of it are
 * loaded, and which row is unfolded. Who opens the link sees the same.
 */
import { type SearchSchemaInput, useNavigate, useSearch } from '@tanstack/react-router';

export type TableSearch = {
  /** A column, `created`, or downwards `-created`; as the service has it where absent. */
  readonly sort?: string;
  /** From 2: one is what there is anyway. */
  readonly pages?: number;
  /** The id of a row. */
  readonly open?: string;
};

/** More than anybody scrolls through, and few enough to be asked for again on a reload. */
const pagesMax = 20;

export function tableSearch(given: Partial<TableSearch> & SearchSchemaInput): TableSearch {
  const { sort, pages, open } = given;
  return {
    ...(typeof sort === 'string' && /^-?[a-z_]+$/.test(sort) ? { sort } : {}),
    ...(Number.isInteger(pages) && Number(pages) > 1
      ? { pages: Math.min(Number(pages), pagesMax) }
      : {}),
    ...(typeof open === 'string' && open !== '' ? { open } : {}),
  };
}

export type TableAddress = TableSearch & {
  change(part: { readonly [Name in keyof TableSearch]: TableSearch[Name] | undefined }): void;
};

export function useTableAddress(): TableAddress {
  const search = tableSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  return {
    ...search,
    change: (part) =>
      void navigate({
        to: '.',
        search: (before) => known({ ...before, ...part }) as typeof before,
        replace: true,
        resetScroll: false,
      }),
  };
}

const known = (search: object): object =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
