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
  SunIcon,
  TokensIcon,
} from '@radix-ui/react-icons';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ListAccountsResponse } from '@vidgen/contract/admin-accounts.ts';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import type { ListPeopleResponse } from '@vidgen/contract/people.ts';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { preferences } from '../api/preferences.ts';
import { useAccountId, useMode, useSession } from '../api/session.ts';
import { statusLabels } from '../components/value-labels.ts';
import { historyQuery } from '../playground/playground-queries.ts';
import { accountPages, adminPages } from './navigation.tsx';

export type PaletteItem = {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** Further words that find it. */
  readonly keywords?: string;
  readonly icon: ReactNode;
  run(): unknown;
};

type PaletteSection = { readonly title: string; readonly items: readonly PaletteItem[] };

export function usePaletteSections(query: string) {
  const { actions, pages, switches } = useCommands();
  const { tasks, accounts, people, isSearching } = useFound(query);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (items: readonly PaletteItem[]) =>
    items.filter(({ label, keywords = '' }) =>
      words.every((word) => `${label} ${keywords}`.toLowerCase().includes(word)),
    );
  const sections: readonly PaletteSection[] = [
    { title: 'Actions', items: matching(actions) },
    { title: words.length === 0 ? 'Recent tasks' : 'Tasks', items: tasks },
    { title: 'Pages', items: matching(pages) },
    { title: 'Accounts', items: accounts },
    { title: 'People', items: people },
    { title: 'Switch', items: matching(switches) },
  ];
  return { sections: sections.filter(({ items }) => items.length > 0), isSearching };
}

function useCommands() {
  const navigate = useNavigate();
  const account = useAccountId();
  const mode = useMode();
  const { accounts, person } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const role = person.administrator ? 'owner' : accounts.find(({ id }) => id === account)?.role;
  const params = { account: account ?? '' };
  const to = {
    ...{ playground: '/accounts/$account/playground', keys: '/accounts/$account/keys' },
    ...{ members: '/accounts/$account/members', credits: '/accounts/$account/credits' },
  } as const;
  const actions: (PaletteItem | false)[] = [
    account !== null &&
      role !== 'viewer' && {
        id: 'new-video',
        label: 'New video',
        keywords: 'create generate playground',
        icon: <MagicWandIcon aria-hidden />,
        run: () => navigate({ to: to.playground, params, search: { mode } }),
      },
    account !== null &&
      role !== 'viewer' && {
        id: 'create-key',
        label: 'Create API key',
        keywords: 'new token',
        icon: <LockClosedIcon aria-hidden />,
        run: () => navigate({ to: to.keys, params, search: { mode, dialog: 'create-key' } }),
      },
    account !== null &&
      role === 'owner' && {
        id: 'invite',
        label: 'Invite member',
        keywords: 'people add person',
        icon: <PersonIcon aria-hidden />,
        run: () => navigate({ to: to.members, params, search: { mode, dialog: 'invite' } }),
      },
    account !== null &&
      role === 'owner' && {
        id: 'add-credits',
        label: 'Add credits',
        keywords: 'grant redeem buy money top up',
        icon: <TokensIcon aria-hidden />,
        run: () =>
          person.administrator
            ? navigate({
                to: '/operator/accounts/$id',
                params: { id: account },
                search: { dialog: 'add-credits' },
              })
            : navigate({ to: to.credits, params, search: { mode } }),
      },
    person.administrator && {
      id: 'connect-provider',
      label: 'Connect provider',
      keywords: 'upstream key',
      icon: <ActivityLogIcon aria-hidden />,
      run: () => navigate({ to: '/operator/providers', search: { connect: 'true' } }),
    },
  ];
  const otherMode = mode === 'live' ? 'test' : 'live';
  const isDark = document.documentElement.dataset.mantineColorScheme === 'dark';
  const switches: (PaletteItem | false)[] = [
    account !== null && {
      id: 'mode',
      label: `Switch to ${otherMode} mode`,
      icon: <TokensIcon aria-hidden />,
      run: () => {
        preferences.mode.set(otherMode);
        void navigate({ to: '/accounts/$account', params, search: { mode: otherMode } });
      },
    },
    {
      id: 'theme',
      label: isDark ? 'Use light theme' : 'Use dark theme',
      keywords: 'color mode',
      icon: isDark ? <SunIcon aria-hidden /> : <MoonIcon aria-hidden />,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    colorScheme !== 'auto' && {
      id: 'theme-system',
      label: 'Use theme of the system',
      keywords: 'color mode',
      icon: <GearIcon aria-hidden />,
      run: () => setColorScheme('auto'),
    },
    ...accounts
      .filter(({ id }) => id !== account)
      .map(({ id, name }) => ({
        id: `switch-${id}`,
        label: `Switch to ${name}`,
        keywords: 'account',
        icon: <CubeIcon aria-hidden />,
        run: () => navigate({ to: '/accounts/$account', params: { account: id } }),
      })),
  ];
  const pages: PaletteItem[] = [
    ...(account === null ? [] : accountPages).map(({ to: page, label, icon: Icon }) => ({
      id: page,
      label,
      icon: <Icon aria-hidden />,
      run: () => navigate({ to: page, params }),
    })),
    ...(person.administrator ? adminPages : []).map(({ to: page, label, icon: Icon }) => ({
      id: page,
      label,
      detail: 'Admin',
      icon: <Icon aria-hidden />,
      run: () => navigate({ to: page }),
    })),
    {
      id: 'profile',
      label: 'Profile and sessions',
      keywords: 'password second factor',
      icon: <GearIcon aria-hidden />,
      run: () => navigate({ to: '/profile' }),
    },
  ];
  const offered = (items: readonly (PaletteItem | false)[]) =>
    items.filter((item) => item !== false);
  return { actions: offered(actions), switches: offered(switches), pages };
}

const pauseMs = 150;
const lengthMin = 2;
const foundMax = 5;

type Found = {
  readonly tasks: readonly AdminTask[];
  readonly accounts: ListAccountsResponse['items'];
  readonly people: ListPeopleResponse['items'];
};

/** Administrators search the installation, others the tasks of the account. */
function useFound(query: string) {
  const navigate = useNavigate();
  const { person } = useSession();
  const account = useAccountId();
  const mode = useMode();
  const [q] = useDebouncedValue(query.trim().slice(0, 200), pauseMs);
  const canSearch = person.administrator || account !== null;
  const isEnabled = canSearch && query.trim().length >= lengthMin;
  const recent = useQuery({
    ...historyQuery({ id: account ?? '', mode }),
    enabled: account !== null,
  });
  const search = useQuery({
    queryKey: ['palette', person.administrator ? null : account, q],
    queryFn: () => (person.administrator ? findAll(q) : findTasks(`/admin/accounts/${account}`, q)),
    enabled: isEnabled && q.length >= lengthMin,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const found = isEnabled ? search.data : undefined;
  const tasks = isEnabled ? found?.tasks : recent.data?.items.slice(0, foundMax);
  return {
    isSearching: isEnabled && (search.isFetching || q !== query.trim().slice(0, 200)),
    tasks: (query.trim() === '' || isEnabled ? (tasks ?? []) : []).map(
      ({ id, prompt, status }) => ({
        id,
        label: prompt || id,
        detail: statusLabels[status],
        icon: <PlayIcon aria-hidden />,
        run: () => navigate({ to: '/tasks/$task', params: { task: id } }),
      }),
    ),
    accounts: (found?.accounts ?? []).map(({ id, name }) => ({
      id,
      label: name,
      icon: <CubeIcon aria-hidden />,
      run: () => navigate({ to: '/operator/accounts/$id', params: { id } }),
    })),
    people: (found?.people ?? []).map(({ id, name, email }) => ({
      id,
      label: name,
      detail: email,
      icon: <PersonIcon aria-hidden />,
      run: () => navigate({ to: '/operator/people', search: { q: email } }),
    })),
  };
}

async function findTasks(path: string, q: string): Promise<Found> {
  const { items } = await get<{ items: readonly AdminTask[] }>(`${path}/tasks`, {
    q,
    limit: foundMax,
  });
  return { tasks: items, accounts: [], people: [] };
}

async function findAll(q: string): Promise<Found> {
  const [{ tasks }, accounts, people] = await Promise.all([
    findTasks('/admin', q),
    get<ListAccountsResponse>('/admin/accounts', { q, limit: foundMax }),
    get<ListPeopleResponse>('/admin/people', { q, limit: foundMax }),
  ]);
  return { tasks, accounts: accounts.items, people: people.items };
}
