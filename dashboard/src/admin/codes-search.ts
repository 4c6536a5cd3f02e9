/** The search parameters of the redemption codes page. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { RedemptionCode } from '@vidgen/contract/top-ups.ts';

export const codeStatuses: readonly RedemptionCode['status'][] = [
  'open',
  'redeemed',
  'expired',
  'revoked',
];

type CodesSearch = { readonly status?: RedemptionCode['status'] };

export function codesSearch(search: Partial<CodesSearch> & SearchSchemaInput): CodesSearch {
  const status = codeStatuses.find((one) => one === search.status);
  return status ? { status } : {};
}
