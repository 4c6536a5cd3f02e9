/** Shows the current account and switches to another. */
import { Text, VisuallyHidden } from '@mantine/core';
import { CaretSortIcon, CheckIcon, CubeIcon } from '@radix-ui/react-icons';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccount, useSession } from '../api/session.ts';
import { PopoverItem, PopoverMenu } from './popover-menu.tsx';
import classes from './shell.module.css';

export function AccountSwitcher(): ReactNode {
  const { accounts, person } = useSession();
  const { id, name, isUnknown } = useAccount();
  const navigate = useNavigate();
  const isMember = accounts.some((account) => account.id === id);
  return (
    <PopoverMenu
      position="top"
      trigger={
        <>
          <span className={classes.accountAvatar} aria-hidden>
            {name.charAt(0).toUpperCase()}
          </span>
          <Text fz="sm" fw={600} truncate flex={1}>
            {isUnknown ? 'Select account' : name || '…'}
          </Text>
          <VisuallyHidden>Switch account</VisuallyHidden>
          <CaretSortIcon aria-hidden />
        </>
      }
    >
      {[...accounts, ...(isMember || isUnknown ? [] : [{ id, name }])].map((account) => (
        <PopoverItem
          key={account.id}
          end={account.id === id ? <CheckIcon aria-label="Selected" /> : null}
          onClick={() => navigate({ to: '/accounts/$account', params: { account: account.id } })}
        >
          {account.name}
        </PopoverItem>
      ))}
      {person.administrator ? (
        <>
          <hr />
          <PopoverItem
            icon={<CubeIcon aria-hidden />}
            onClick={() => navigate({ to: '/operator/accounts' })}
          >
            All accounts
          </PopoverItem>
        </>
      ) : null}
    </PopoverMenu>
  );
}
