/** Who is signed in, and as what they look at an account. */
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { KeyMode } from '@vidgen/contract/models.ts';
import type { AccountRole, SessionResponse } from '@vidgen/contract/people.ts';
import { get } from './client.ts';
import { preferences } from './preferences.ts';
import { keys } from './query-client.ts';

const accountRefetchMs = 10_000;

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: () => get<SessionResponse>('/session'),
  staleTime: 60_000,
});

/** Below the shell there always is a session: nobody gets there without. */
export function useSession(): SessionResponse {
  return useSuspenseQuery(sessionQuery).data;
}

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: keys.accountPart(id, 'itself'),
    queryFn: () => get<Account>(`/admin/accounts/${id}`),
    refetchInterval: accountRefetchMs,
  });

const ranks: Readonly<Record<AccountRole, number>> = { viewer: 0, developer: 1, owner: 2 };

export type AccountScope = {
  readonly id: string;
  /** Empty until it is known to somebody who is no member. */
  readonly name: string;
  readonly mode: KeyMode;
  /** Administrators of the installation may do everything. */
  readonly role: AccountRole;
  /** Whether the person has at least this role here. */
  hasRole(role: AccountRole): boolean;
  /** With its balances; undefined while it is on its way. */
  readonly account: Account | undefined;
};

/** The account that the address names; else the last one looked at, or the first. */
export function useAccountId(): string | null {
  const { accounts, person } = useSession();
  const { account } = useParams({ strict: false });
  if (account !== undefined) return account;
  const last = preferences.account.get();
  const isMine = accounts.some(({ id }) => id === last);
  return (isMine || person.administrator ? last : null) ?? accounts[0]?.id ?? null;
}

/** `live` or `test`: of the address, else the last chosen. */
export function useMode(): KeyMode {
  const { mode } = useSearch({ strict: false });
  return mode ?? preferences.mode.get() ?? 'live';
}

/** On a page of an account: which, as what, in which mode. */
export function useAccount(): AccountScope {
  const id = useAccountId();
  if (id === null) throw new Error('this page belongs to an account');
  const { accounts, person } = useSession();
  const member = accounts.find((account) => account.id === id);
  const role = person.administrator ? 'owner' : (member?.role ?? 'viewer');
  const { data: account } = useQuery(accountQuery(id));
  return {
    id,
    name: account?.name ?? member?.name ?? '',
    mode: useMode(),
    role,
    hasRole: (needed) => ranks[role] >= ranks[needed],
    account,
  };
}
