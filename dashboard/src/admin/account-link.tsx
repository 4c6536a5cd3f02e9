/** A link to an account that shows its name instead of its ID. */
import { Badge, type MantineColor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Account, ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import { get, resource } from '../api/client.ts';
import type { FilterValue } from '../components/filters.tsx';
import { TextLink } from '../components/links.tsx';
import { RemoteSelect } from '../components/name-filters.tsx';

type KnownAccount = Pick<ListAccountsResponse['items'][number], 'name' | 'closed_at'>;

const namesStaleMs = 60_000;

/** The newest 100 accounts are fetched once for all rows, older ones one by one. */
function useKnownAccount(id: string | undefined): KnownAccount | undefined {
  const newest = useQuery({
    ...resource<ListAccountsResponse>('/admin/accounts', { limit: 100 }),
    staleTime: namesStaleMs,
    select: ({ items }) => new Map<string, KnownAccount>(items.map((one) => [one.id, one])),
    enabled: id !== undefined,
  });
  const known = newest.data?.get(id ?? '');
  const older = useQuery({
    ...resource<KnownAccount>(`/admin/accounts/${id}`),
    staleTime: namesStaleMs,
    enabled: id !== undefined && newest.data !== undefined && known === undefined,
  });
  return known ?? older.data;
}

/** Why a refund to the account was suspended: it is closed, else the database has rejected it. */
export function RefundProblem({ id }: { readonly id: string }) {
  const account = useKnownAccount(id);
  if (account === undefined) return null;
  return account.closed_at === null ? 'The ledger rejected it' : 'The account is closed';
}

export function AccountLink({ id }: { readonly id: string }) {
  const account = useKnownAccount(id);
  return (
    <TextLink to="/operator/accounts/$id" params={{ id }} fz="sm">
      <Text span inherit truncate display="block" maw={130} title={account?.name ?? id}>
        {account?.name ?? id.slice(0, 8)}
      </Text>
    </TextLink>
  );
}

type State = Pick<Account, 'suspended_at' | 'closed_at' | 'erasure_started_at' | 'erased_at'>;

/** Whether an account is active, suspended, closed or erased, as a badge. */
export function AccountStatus(props: { readonly account: State; readonly hideActive?: true }) {
  const { account, hideActive } = props;
  const [label, color] = stateOf(account);
  if (hideActive && label === 'Active') return null;
  return (
    <Badge color={color} flex="none">
      {label}
    </Badge>
  );
}

function stateOf(account: State): readonly [label: string, color: MantineColor] {
  if (account.erased_at !== null) return ['Erased', 'gray'];
  if (account.erasure_started_at !== null) return ['Erasing', 'gray'];
  if (account.closed_at !== null) return ['Closed', 'red'];
  return account.suspended_at === null ? ['Active', 'green'] : ['Suspended', 'orange'];
}

export function AccountSelect(
  props: FilterValue & { readonly placeholder?: string; readonly isField?: boolean },
) {
  const account = useKnownAccount(props.value);
  return (
    <RemoteSelect
      placeholder="Any account"
      {...props}
      label="Account"
      valueLabel={account?.name}
      load={async (q) => {
        const query = { limit: 20, sort: 'name', ...(q === '' ? {} : { q }) };
        const { items } = await get<ListAccountsResponse>('/admin/accounts', query);
        return items.map(({ id, name }) => ({ value: id, label: name }));
      }}
    />
  );
}

/** A filter by account, which is searched for by name, ID or member. */
export const accountFilter = { label: 'Account', Control: AccountSelect };
