/** What the palette offers and finds. Customers are offered and search their accounts alone. */
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  ActivityLogIcon,
  CubeIcon,
  GearIcon,
  LockClosedIcon,
  MagicWandIcon,
  MoonIcon,
  PersonIcon,
  PlayIcon,
  TokensIcon,
} from '@radix-ui/react-icons';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ListPeopleResponse } from '@vidgen/contract/people.ts';
import type { ComponentType } from 'react';
import { get } from '../api/client.ts';
import { preferences } from '../api/preferences.ts';
import { useAccountId, useMode, useSession } from '../api/session.ts';
import type { DialogName } from '../components/setting-card.tsx';
import { statusLabels } from '../components/value-labels.ts';
import { historyQuery } from '../playground/playground-queries.ts';
import { accountPages, adminPages } from './navigation.tsx';

export type PaletteItem = {
  readonly label: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
  run(): unknown;
  readonly detail?: string;
  /** Further words that find it. */
  readonly keywords?: string;
};

export function usePaletteSections(query: string) {
  const { actions, pages, switches } = useCommands();
  const { tasks, accounts, people, isSearching } = useFound(query);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (items: readonly PaletteItem[]) =>
    items.filter(({ label, keywords = '' }) =>
      words.every((word) => `${label} ${keywords}`.toLowerCase().includes(word)),
    );
  const sections: Readonly<Record<string, readonly PaletteItem[]>> = {
    Actions: matching(actions),
    [words.length === 0 ? 'Recent tasks' : 'Tasks']: tasks,
    Pages: matching(pages),
    Accounts: accounts,
    People: people,
    Switch: matching(switches),
  };
  return {
    isSearching,
    /** An ID is a section with a place in it: it stays when other sections get their items. */
    sections: Object.entries(sections)
      .map(
        ([title, items], section) =>
          [title, items.map((item, place) => ({ ...item, id: `${section}.${place}` }))] as const,
      )
      .filter(([, { length }]) => length > 0),
  };
}

function useCommands() {
  const navigate = useNavigate();
  const account = useAccountId();
  const mode = useMode();
  const { accounts, person } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const isAdmin = person.administrator;
  const role = isAdmin ? 'owner' : accounts.find(({ id }) => id === account)?.role;
  const params = { account: account ?? '' };
  const go = (page: 'playground' | 'keys' | 'members' | 'credits', dialog?: DialogName) =>
    navigate({ to: `/accounts/$account/${page}`, params, search: { mode, dialog } as never });
  const addCredits = () =>
    isAdmin
      ? navigate({
          to: '/operator/accounts/$id',
          params: { id: params.account },
          search: { dialog: 'add-credits' },
        })
      : go('credits');
  const connect = () => navigate({ to: '/operator/providers', search: { connect: 'true' } });
  const openAccount = (id: string, chosen = mode) => {
    preferences.mode.set(chosen);
    return navigate({
      to: '/accounts/$account',
      params: { account: id },
      search: { mode: chosen },
    });
  };
  const item = (label: string, icon: PaletteItem['icon'], run: () => unknown, keywords = '') => ({
    label,
    icon,
    run,
    keywords,
  });
  const isMember = account !== null && role !== undefined;
  const otherMode = mode === 'live' ? 'test' : 'live';
  const isDark = document.documentElement.dataset.mantineColorScheme === 'dark';
  const otherTheme = isDark ? 'light' : 'dark';
  return {
    actions: [
      ...(isMember && role !== 'viewer'
        ? [
            item('New video', MagicWandIcon, () => go('playground'), 'create generate playground'),
            item('Create API key', LockClosedIcon, () => go('keys', 'create-key'), 'new token'),
          ]
        : []),
      ...(isMember && role === 'owner'
        ? [
            item('Invite member', PersonIcon, () => go('members', 'invite'), 'add people'),
            item('Add credits', TokensIcon, addCredits, 'grant redeem buy money top up'),
          ]
        : []),
      ...(isAdmin ? [item('Connect provider', ActivityLogIcon, connect, 'upstream key')] : []),
    ],
    pages: [
      ...(account === null ? [] : accountPages).map(({ to, label, icon }) =>
        item(label, icon, () => navigate({ to, params })),
      ),
      ...(isAdmin ? adminPages : []).map(({ to, label, icon, place }) => ({
        ...item(label, icon, () => navigate({ to })),
        detail: place === label ? 'Administration' : place,
      })),
      item('Profile and sessions', GearIcon, () => navigate({ to: '/profile' }), 'password'),
    ],
    switches: [
      ...(account === null
        ? []
        : [item(`Switch to ${otherMode} mode`, TokensIcon, () => openAccount(account, otherMode))]),
      item(`Use ${otherTheme} theme`, MoonIcon, () => setColorScheme(otherTheme), 'color mode'),
      item('Use theme of the system', GearIcon, () => setColorScheme('auto'), 'color mode'),
      ...accounts
        .filter(({ id }) => id !== account)
        .map(({ id, name }) =>
          item(`Switch to ${name}`, CubeIcon, () => openAccount(id), 'account'),
        ),
    ],
  };
}

const pauseMs = 150;
const lengthMin = 2;
const foundMax = 5;

/** Administrators search the installation, others the tasks of the account. */
function useFound(query: string) {
  const navigate = useNavigate();
  const { person } = useSession();
  const account = useAccountId();
  const mode = useMode();
  const typed = query.trim().slice(0, 200);
  const [q] = useDebouncedValue(typed, pauseMs);
  const path = person.administrator ? '/admin' : `/admin/accounts/${account}`;
  const canSearch = (person.administrator || account !== null) && typed.length >= lengthMin;
  const recent = useQuery({
    ...historyQuery({ id: account ?? '', mode }),
    enabled: account !== null,
  });
  const search = useQuery({
    queryKey: ['palette', path, q],
    queryFn: () => find(path, q),
    enabled: canSearch && q.length >= lengthMin,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const found = canSearch ? search.data : undefined;
  const tasks = typed === '' ? recent.data?.items.slice(0, foundMax) : found?.tasks;
  return {
    isSearching: canSearch && (search.isFetching || q !== typed),
    tasks: (tasks ?? []).map(({ id, prompt, status }) => ({
      label: prompt || id,
      icon: PlayIcon,
      detail: statusLabels[status],
      run: () => navigate({ to: '/tasks/$task', params: { task: id } }),
    })),
    accounts: (found?.accounts ?? []).map(({ id, name }) => ({
      label: name,
      icon: CubeIcon,
      run: () => navigate({ to: '/operator/accounts/$id', params: { id } }),
    })),
    people: (found?.people ?? []).map(({ name, email }) => ({
      label: name,
      icon: PersonIcon,
      detail: email,
      run: () => navigate({ to: '/operator/people', search: { q: email } }),
    })),
  };
}

async function find(path: string, q: string) {
  const list = <Item,>(name: string) =>
    get<{ readonly items: readonly Item[] }>(`${path}/${name}`, { q, limit: foundMax });
  const isAll = path === '/admin';
  const [tasks, accounts, people] = await Promise.all([
    list<AdminTask>('tasks'),
    isAll ? list<ListAccountsResponse['items'][number]>('accounts') : null,
    isAll ? list<ListPeopleResponse['items'][number]>('people') : null,
  ]);
  return { tasks: tasks.items, accounts: accounts?.items, people: people?.items };
}
