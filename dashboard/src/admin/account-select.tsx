/** A filter by account, which is searched for by name, ID or member. */
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { keys } from '../api/query-client.ts';
import { RemoteSelect } from '../components/remote-select.tsx';
import { useKnownAccount } from './account-link.tsx';

export function AccountSelect(props: {
  readonly value: string | undefined;
  onChange(account: string | undefined): void;
}): ReactNode {
  const account = useKnownAccount(props.value);
  return (
    <RemoteSelect
      {...props}
      label="Account"
      placeholder="Any account"
      valueLabel={account?.name}
      queryKey={keys.adminPart('accounts', 'select')}
      load={async (q) => {
        const query = { limit: 20, sort: 'name', ...(q === '' ? {} : { q }) };
        const { items } = await get<ListAccountsResponse>('/admin/accounts', query);
        return items.map(({ id, name }) => ({ value: id, label: name }));
      }}
    />
  );
}
