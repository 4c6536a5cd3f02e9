/**
 * The command palette (⌘K): finds pages and actions by name; accounts, people and tasks on the
 * service; and opens pasted task IDs.
 */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import {
  BellIcon,
  CubeIcon,
  ExitIcon,
  GearIcon,
  MagnifyingGlassIcon,
  MoonIcon,
  PlayIcon,
  ReaderIcon,
} from '@radix-ui/react-icons';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { buildUrl } from '../api/client.ts';
import { useAccountId, useSession } from '../api/session.ts';
import { accountPages, adminPages } from './navigation.tsx';
import { usePaletteSearch } from './palette-search.tsx';
import { signOut } from './sign-out.ts';

const taskId = /\btask_[A-Za-z0-9_-]+/;
/** A pasted text that is only a task ID is opened without a further step. */
const wholeTaskId = /^task_[0-9a-z]{26}$/;

export function CommandPalette({ openCount }: { readonly openCount: number }): ReactNode {
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (openCount > 0) spotlight.open();
  }, [openCount]);
  const actions = useActions();
  const found = usePaletteSearch(query);
  const pastedTaskId = taskId.exec(query)?.[0];
  const navigate = useNavigate();
  const { person } = useSession();
  const taskActions: SpotlightActionData[] = pastedTaskId
    ? [
        {
          id: 'task',
          label: 'Open task',
          description: pastedTaskId,
          leftSection: <PlayIcon aria-hidden />,
          onClick: () => navigate({ to: '/tasks/$task', params: { task: pastedTaskId } }),
        },
      ]
    : [];
  return (
    <Spotlight
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      query={query}
      onQueryChange={setQuery}
      actions={[...taskActions, ...actions, ...found.actions]}
      {...(pastedTaskId ? { filter: () => taskActions } : {})}
      nothingFound={found.isSearching ? 'Searching…' : 'No results'}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <MagnifyingGlassIcon aria-hidden />,
        placeholder: person.administrator
          ? 'Search pages, accounts, people and tasks'
          : 'Search pages, actions and tasks',
        'aria-label': 'Search',
        onPaste: (event) => {
          const id = event.clipboardData.getData('text').trim();
          if (!wholeTaskId.test(id)) return;
          event.preventDefault();
          spotlight.close();
          void navigate({ to: '/tasks/$task', params: { task: id } });
        },
      }}
    />
  );
}

function useActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  const account = useAccountId();
  const { accounts, person } = useSession();
  const { toggleColorScheme } = useMantineColorScheme();
  const accountActions: SpotlightActionData[] =
    account === null
      ? []
      : accountPages.map(({ to, label, keywords, icon: Icon }) => ({
          id: to,
          label,
          keywords,
          leftSection: <Icon aria-hidden />,
          onClick: () => navigate({ to, params: { account } }),
        }));
  const adminActions: SpotlightActionData[] = person.administrator
    ? adminPages.map(({ to, label, icon: Icon }) => ({
        id: to,
        label,
        description: 'Admin',
        leftSection: <Icon aria-hidden />,
        onClick: () => navigate({ to }),
      }))
    : [];
  const switchActions: SpotlightActionData[] = accounts
    .filter(({ id }) => id !== account)
    .map(({ id, name }) => ({
      id,
      label: `Switch to ${name}`,
      leftSection: <CubeIcon aria-hidden />,
      onClick: () => navigate({ to: '/accounts/$account', params: { account: id } }),
    }));
  return [
    ...accountActions,
    ...adminActions,
    ...switchActions,
    {
      id: 'theme',
      label: 'Toggle dark mode',
      leftSection: <MoonIcon aria-hidden />,
      onClick: () => toggleColorScheme(),
    },
    {
      id: 'notices',
      label: 'Notices',
      keywords: 'alerts notifications bell',
      leftSection: <BellIcon aria-hidden />,
      onClick: () => navigate({ to: '/notices' }),
    },
    {
      id: 'profile',
      label: 'Profile and sessions',
      keywords: 'password name',
      leftSection: <GearIcon aria-hidden />,
      onClick: () => navigate({ to: '/profile' }),
    },
    {
      id: 'guides',
      label: 'Guides',
      keywords: 'docs quick start',
      leftSection: <ReaderIcon aria-hidden />,
      onClick: () => location.assign(buildUrl('/guides')),
    },
    {
      id: 'docs',
      label: 'API reference',
      keywords: 'docs api openapi',
      leftSection: <ReaderIcon aria-hidden />,
      onClick: () => location.assign(buildUrl('/docs')),
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      leftSection: <ExitIcon aria-hidden />,
      onClick: () => signOut(navigate),
    },
  ];
}
