/** The search parameters of the overview of the installation. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { oneOf, textParam, withoutEmpty } from '../components/search-params.ts';

export const periods = ['7', '30', '90'] as const;

export type InstallationSearch = {
  readonly days?: (typeof periods)[number];
  readonly kind?: 'live' | 'test';
};

/** Without the defaults: 30 days, live. */
export const installationSearch = (
  search: Partial<InstallationSearch> & SearchSchemaInput,
): InstallationSearch => {
  const days = oneOf(periods, textParam(search.days));
  return withoutEmpty<InstallationSearch>({
    days: days === '30' ? undefined : days,
    kind: oneOf(['test'], search.kind),
  });
};
