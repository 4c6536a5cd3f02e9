/** A link to an account that shows its name instead of its ID. */
import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { TextLink } from '../components/links.tsx';

type KnownAccount = Pick<ListAccountsResponse['items'][number], 'name' | 'closed_at'>;

const namesStaleMs = 60_000;

/** The newest 100 accounts are fetched once for all rows, older ones one by one. */
export function useKnownAccount(id: string | undefined): KnownAccount | undefined {
  const newest = useQuery({
    queryKey: keys.adminPart('accounts', 'names'),
    queryFn: () => get<ListAccountsResponse>('/admin/accounts', { limit: 100 }),
    staleTime: namesStaleMs,
    select: ({ items }) => new Map<string, KnownAccount>(items.map((one) => [one.id, one])),
    enabled: id !== undefined,
  });
  const known = newest.data?.get(id ?? '');
  const older = useQuery({
    queryKey: keys.adminPart('accounts', 'name', id),
    queryFn: () => get<KnownAccount>(`/admin/accounts/${id}`),
    staleTime: namesStaleMs,
    enabled: id !== undefined && newest.data !== undefined && known === undefined,
  });
  return known ?? older.data;
}

export function AccountLink({
  id,
  showState,
}: {
  readonly id: string;
  /** Also shows whether the account is closed. */
  readonly showState?: true;
}): ReactNode {
  const account = useKnownAccount(id);
  return (
    <Group gap={6} wrap="nowrap">
      <TextLink to="/operator/accounts/$id" params={{ id }} fz="sm" underline="hover">
        <Text span inherit truncate display="block" maw={130} title={account?.name ?? id}>
          {account?.name ?? id.slice(0, 8)}
        </Text>
      </TextLink>
      {showState && account && account.closed_at !== null ? (
        <Badge color="gray">Closed</Badge>
      ) : null}
    </Group>
  );
}
