/** The URL state of the Providers page. */
export type ProvidersSearch = { readonly connect?: true };

export const providersSearch = (search: Readonly<Record<string, unknown>>): ProvidersSearch =>
  search.connect === true ? { connect: true } : {};
