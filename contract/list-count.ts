/** How far lists are counted. Apart from `list.ts`, so that the dashboard loads no schemas. */
export const listCountMax = 10_000;
