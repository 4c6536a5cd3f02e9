/** The search parameters of the list of accounts, and the query of the list and its export. */
import type { SearchSchemaInput } from '@tanstack/react-router';
import { oneOf, textParam, withoutEmpty } from '../components/search-params.ts';

const accountStates = ['active', 'suspended', 'closed'] as const;
const lowBalances = ['0', '100', '1000'] as const;
const taskStates = ['true', 'false'] as const;

export type AccountsSearch = {
  readonly q?: string;
  readonly status?: (typeof accountStates)[number];
  /** At most so many live credits. */
  readonly balance?: (typeof lowBalances)[number];
  /** Whether the account has tasks. */
  readonly tasks?: (typeof taskStates)[number];
};

export const accountsSearch = (
  search: Partial<AccountsSearch> & SearchSchemaInput,
): AccountsSearch =>
  withoutEmpty<AccountsSearch>({
    q: textParam(search.q),
    status: oneOf(accountStates, search.status),
    balance: oneOf(lowBalances, textParam(search.balance)),
    tasks: oneOf(taskStates, String(search.tasks)),
  });

/** The columns that the service sorts by, by their name in the URL. */
const sorts = ['name', 'balance', 'last_task', 'created'];

export function accountsQueryOf(
  { balance, tasks, ...same }: AccountsSearch,
  sort: string | undefined,
): Record<string, string> {
  return {
    ...same,
    ...(balance ? { balance_max: balance } : {}),
    ...(tasks ? { has_tasks: tasks } : {}),
    ...(sort && sorts.includes(sort.replace('-', '')) ? { sort } : {}),
  };
}
