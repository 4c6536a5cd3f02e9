/** The menu of everything an administrator can do with an account, and the dialogs it opens. */
import { Button, Menu } from '@mantine/core';
import { ChevronDownIcon } from '@radix-ui/react-icons';
import type { Account } from '@vidgen/contract/admin-accounts.ts';
import type { ReactNode } from 'react';
import { buildUrl } from '../api/client.ts';
import { LimitsDialog } from './account-limits.tsx';
import { AdjustCreditsDialog } from './adjust-credits.tsx';
import { EndAccountDialog } from './end-account.tsx';
import { RenameDialog } from './rename-account.tsx';
import { ResumeDialog, SuspendDialog } from './suspend-account.tsx';

export type AccountAction =
  | 'rename'
  | 'adjust'
  | 'limits'
  | 'suspend'
  | 'resume'
  | 'close'
  | 'erase';

export function AccountActionsMenu({
  account,
  onChoose,
}: {
  readonly account: Account;
  onChoose(action: AccountAction): void;
}): ReactNode {
  const isOpen = account.closed_at === null;
  const item = (action: AccountAction, label: string, color?: 'red') => (
    <Menu.Item {...(color ? { color } : {})} onClick={() => onChoose(action)}>
      {label}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <Button rightSection={<ChevronDownIcon aria-hidden />}>Actions</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {account.erasure_started_at === null ? item('rename', 'Rename') : null}
        {isOpen ? item('adjust', 'Adjust credits') : null}
        {isOpen ? item('limits', 'Edit limits') : null}
        <Menu.Item component="a" href={buildUrl(`/admin/accounts/${account.id}/archive`)} download>
          Export data
        </Menu.Item>
        {account.erasure_started_at === null ? <Menu.Divider /> : null}
        {isOpen && account.suspended_at === null ? item('suspend', 'Suspend', 'red') : null}
        {isOpen && account.suspended_at !== null ? item('resume', 'Resume') : null}
        {isOpen ? item('close', 'Close account', 'red') : null}
        {account.erasure_started_at === null ? item('erase', 'Erase account', 'red') : null}
      </Menu.Dropdown>
    </Menu>
  );
}

export function AccountDialogs({
  account,
  action,
  onClose,
}: {
  readonly account: Account;
  /** The dialog that is open. */
  readonly action: AccountAction | null;
  onClose(): void;
}): ReactNode {
  const dialog = (name: AccountAction) => ({ account, opened: action === name, onClose });
  return (
    <>
      <RenameDialog {...dialog('rename')} />
      <AdjustCreditsDialog {...dialog('adjust')} />
      <LimitsDialog {...dialog('limits')} />
      <SuspendDialog {...dialog('suspend')} />
      <ResumeDialog {...dialog('resume')} />
      <EndAccountDialog {...dialog('close')} kind="close" />
      <EndAccountDialog {...dialog('erase')} kind="erase" />
    </>
  );
}
