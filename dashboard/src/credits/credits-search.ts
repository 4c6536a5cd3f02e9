/** What the address of the credits page may carry. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { LedgerEntry } from '@vidgen/contract/admin-accounts.ts';
import { entryWords } from './entry-words.ts';

export type CreditsSearch = {
  readonly kind?: LedgerEntry['kind'];
  /** Where Stripe sends the person back to. */
  readonly checkout?: 'paid' | 'cancelled';
};

export function creditsSearch(given: Partial<CreditsSearch> & SearchSchemaInput): CreditsSearch {
  const { kind, checkout } = given;
  return {
    ...(kind !== undefined && Object.hasOwn(entryWords, kind) ? { kind } : {}),
    ...(checkout === 'paid' || checkout === 'cancelled' ? { checkout } : {}),
  };
}
