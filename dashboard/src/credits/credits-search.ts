/** The search parameters of the credits page. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { entryLabels } from './entry-labels.ts';

type CreditsSearch = {
  readonly kind?: LedgerEntry['kind'];
  /** Set by Stripe's redirect after a checkout. */
  readonly checkout?: 'paid' | 'cancelled';
};

export function creditsSearch(search: Partial<CreditsSearch> & SearchSchemaInput): CreditsSearch {
  const { kind, checkout } = search;
  return {
    ...(kind !== undefined && Object.hasOwn(entryLabels, kind) ? { kind } : {}),
    ...(checkout === 'paid' || checkout === 'cancelled' ? { checkout } : {}),
  };
}
