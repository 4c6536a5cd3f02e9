/** The search parameters of the redemption codes page. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { RedemptionCode } from '@vidgen/contract/top-ups.ts';
import { oneOf, textParam, withoutEmpty } from '../components/search-params.ts';

export const codeStatuses: readonly RedemptionCode['status'][] = [
  'open',
  'redeemed',
  'expired',
  'revoked',
];

export type CodesSearch = {
  readonly q?: string;
  readonly status?: RedemptionCode['status'];
  /** The account that redeemed it. */
  readonly account?: string;
};

export const codesSearch = (search: Partial<CodesSearch> & SearchSchemaInput): CodesSearch =>
  withoutEmpty<CodesSearch>({
    q: textParam(search.q),
    status: oneOf(codeStatuses, search.status),
    account: textParam(search.account),
  });

export const codesQueryOf = (
  { account, ...same }: CodesSearch,
  sort: string | undefined,
): Record<string, string> => ({
  ...same,
  ...(account ? { account_id: account } : {}),
  ...(sort && ['amount', 'created'].includes(sort.replace('-', '')) ? { sort } : {}),
});
