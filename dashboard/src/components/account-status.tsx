/** Whether an account is active, suspended, closed or erased, as a badge. */
import { Badge, type MantineColor } from '@mantine/core';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';

type State = Pick<Account, 'suspended_at' | 'closed_at' | 'erasure_started_at' | 'erased_at'>;

export function AccountStatus({
  account,
  hideActive,
}: {
  readonly account: State;
  readonly hideActive?: true;
}): ReactNode {
  const [label, color] = stateOf(account);
  if (hideActive && label === 'Active') return null;
  return (
    <Badge color={color} variant="light" flex="none">
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
