/** The signed-in person, and the account, mode and role that the current page is about. */
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { AccountRole, SessionResponse } from '@vidgen/contract/people.ts';
import { get, queryClient, resource } from './client.ts';
import { preferences } from './preferences.ts';

const accountRefetchMs = 20_000;

export const sessionQuery = {
  ...resource<SessionResponse>('/session'),
  staleTime: 60_000,
};

/** Only for components below the shell, whose route requires a session. */
export function useSession(): SessionResponse {
  return useSuspenseQuery(sessionQuery).data;
}

/**
 * Tasks and payments change the balance. So pages of an account are loaded again when it has
 * changed, and ask rarely by themselves: an idle page sends one request in ten seconds.
 */
export const accountQuery = (id: string) => {
  const account = resource<Account>(`/admin/accounts/${id}`);
  return queryOptions({
    ...account,
    queryFn: async () => {
      const loaded = await get<Account>(`/admin/accounts/${id}`);
      const known = queryClient.getQueryData(account.queryKey);
      if (known && JSON.stringify(known.balance) !== JSON.stringify(loaded.balance)) {
        const isOfAccount = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
          queryKey[2] === id && typeof queryKey[3] === 'string';
        void queryClient.invalidateQueries({ predicate: isOfAccount });
      }
      return loaded;
    },
    refetchInterval: accountRefetchMs,
  });
};

const ranks: Readonly<Record<AccountRole, number>> = { viewer: 0, developer: 1, owner: 2 };

export type AccountScope = {
  readonly id: string;
  /** Empty until the account is loaded, for administrators who are not members. */
  readonly name: string;
  readonly mode: KeyMode;
  /** Administrators count as owners of every account. */
  readonly role: AccountRole;
  /** Whether the person has this role or a higher one. */
  hasRole(role: AccountRole): boolean;
  /** Undefined until it is loaded. */
  readonly account: Account | undefined;
  /** There is no such account, or it could not be loaded. */
  readonly isUnknown: boolean;
};

/** Returns the account in the URL, else the one that was open last, else the first. */
export function useAccountId(): string | null {
  const { accounts, person } = useSession();
  const { account } = useParams({ strict: false });
  if (account !== undefined) return account;
  const last = preferences.account.get();
  const isMine = accounts.some(({ id }) => id === last);
  return (isMine || person.administrator ? last : null) ?? accounts[0]?.id ?? null;
}

/** Returns the mode in the URL of an account's page, else the one that was chosen last. */
export function useMode(): KeyMode {
  const { account } = useParams({ strict: false });
  const { mode } = useSearch({ strict: false });
  return (account === undefined ? undefined : mode) ?? preferences.mode.get() ?? 'live';
}

/** Whether the account is suspended or closed. */
export const isBlocked = (account: AccountScope['account']): boolean =>
  account !== undefined && (account.suspended_at !== null || account.closed_at !== null);

/** Returns the account of the current page. Throws where there is none. */
export function useAccount(): AccountScope {
  const id = useAccountId();
  if (id === null) throw new Error('this page belongs to an account');
  const { accounts, person } = useSession();
  const member = accounts.find((account) => account.id === id);
  const role = person.administrator ? 'owner' : (member?.role ?? 'viewer');
  const { data: account, isError } = useQuery(accountQuery(id));
  return {
    id,
    name: account?.name ?? member?.name ?? '',
    mode: useMode(),
    role,
    hasRole: (needed) => ranks[role] >= ranks[needed],
    account,
    isUnknown: account === undefined && isError,
  };
}
