/** Changes the search parameters of a list, and keeps its sort order. */
import { useNavigate } from '@tanstack/react-router';

type Part<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

/**
 * A chosen filter is a step that the back button undoes; typing is not, and replaces the last step.
 * The list starts at its first page again.
 */
export function useListSearch<Search extends object>(search: Search, to: string) {
  const navigate = useNavigate();
  const go = (next: object, replace: boolean) =>
    void navigate({
      to,
      search: ((before: { readonly sort?: string; readonly mode?: string }) => ({
        ...(before.mode ? { mode: before.mode } : {}),
        ...Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)),
        ...(before.sort ? { sort: before.sort } : {}),
      })) as never,
      replace,
      resetScroll: false,
    });
  return {
    set: (part: Part<Search>) => go({ ...search, ...part }, Object.keys(part).join() === 'q'),
    clear: () => go({}, false),
    replace: (next: Search) => go(next, false),
  };
}
