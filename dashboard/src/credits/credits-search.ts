/** What the address of the credits page may carry. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { entryLabels } from './entry-labels.ts';

type CreditsSearch = {
  readonly kind?: LedgerEntry['kind'];
  /** Where Stripe sends the person back to. */
  readonly checkout?: 'paid' | 'cancelled';
};

export function creditsSearch(search: Partial<CreditsSearch> & SearchSchemaInput): CreditsSearch {
  const { kind, checkout } = search;
  return {
    ...(kind !== undefined && Object.hasOwn(entryLabels, kind) ? { kind } : {}),
    ...(checkout === 'paid' || checkout === 'cancelled' ? { checkout } : {}),
  };
}
