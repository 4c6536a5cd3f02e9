/**
 * The command palette (⌘K): finds pages and actions by name; accounts, people and tasks on the
 * service; and opens pasted task IDs.
 */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import {
  BellIcon,
  CubeIcon,
  ExitIcon,
  GearIcon,
  MagnifyingGlassIcon,
  MoonIcon,
  PersonIcon,
  PlayIcon,
  ReaderIcon,
} from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ListPeopleResponse } from '@vidgen/contract/people.ts';
import { type ReactNode, useEffect, useState } from 'react';
import { buildUrl, get } from '../api/client.ts';
import { useAccountId, useSession } from '../api/session.ts';
import { statusLabels } from '../components/value-labels.ts';
import { signOut } from './menus.tsx';
import { accountPages, adminPages } from './navigation.tsx';

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

const pauseMs = 200;
const lengthMin = 2;
const foundMax = 5;

type Found = {
  readonly accounts: ListAccountsResponse['items'];
  readonly people: ListPeopleResponse['items'];
  readonly tasks: readonly AdminTask[];
};
const nothing: Found = { accounts: [], people: [], tasks: [] };

/** Administrators search the installation, others the tasks of the current account. */
function usePaletteSearch(query: string): {
  readonly isSearching: boolean;
  readonly actions: SpotlightActionData[];
} {
  const { person } = useSession();
  const account = useAccountId();
  const navigate = useNavigate();
  const [q] = useDebouncedValue(query.trim().slice(0, 200), pauseMs);
  // Hides results of the previous query while the person types.
  const isCurrent = q === query.trim().slice(0, 200);
  const canSearch = person.administrator || account !== null;
  const isEnabled = canSearch && q.length >= lengthMin;
  const { data, isFetching } = useQuery({
    queryKey: ['palette', person.administrator ? null : account, q],
    queryFn: () => (person.administrator ? searchInstallation(q) : searchAccount(account ?? '', q)),
    enabled: isEnabled,
    retry: false,
  });
  const { accounts, people, tasks } = (isEnabled && isCurrent && data) || nothing;
  // The palette filters what it is given: what was found matches, whatever its label is.
  const keywords = query;
  return {
    isSearching: canSearch && query.trim().length >= lengthMin && (isFetching || !isCurrent),
    actions: [
      ...accounts.map(({ id, name }) => ({
        id: `account-${id}`,
        label: name,
        description: 'Account',
        keywords,
        leftSection: <CubeIcon aria-hidden />,
        onClick: () => void navigate({ to: '/operator/accounts/$id', params: { id } }),
      })),
      ...people.map(({ id, name, email }) => ({
        id: `person-${id}`,
        label: name,
        description: `Person, ${email}`,
        keywords,
        leftSection: <PersonIcon aria-hidden />,
        onClick: () => void navigate({ to: '/operator/people', search: { q: email } }),
      })),
      ...tasks.map(({ id, prompt, status }) => ({
        id: `task-${id}`,
        label: prompt.length > 80 ? `${prompt.slice(0, 80)}…` : prompt || id,
        description: `Task, ${statusLabels[status].toLowerCase()}`,
        keywords,
        leftSection: <PlayIcon aria-hidden />,
        onClick: () => void navigate({ to: '/tasks/$task', params: { task: id } }),
      })),
    ],
  };
}

async function searchInstallation(q: string): Promise<Found> {
  const [accounts, people, tasks] = await Promise.all([
    get<ListAccountsResponse>('/admin/accounts', { q, limit: foundMax }),
    get<ListPeopleResponse>('/admin/people', { q, limit: foundMax }),
    get<{ items: readonly AdminTask[] }>('/admin/tasks', { q, limit: foundMax }),
  ]);
  return { accounts: accounts.items, people: people.items, tasks: tasks.items };
}

async function searchAccount(account: string, q: string): Promise<Found> {
  const path = `/admin/accounts/${account}/tasks`;
  const { items } = await get<{ items: readonly AdminTask[] }>(path, { q, limit: foundMax });
  return { ...nothing, tasks: items };
}
