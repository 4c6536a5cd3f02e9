/** ⌘K: every page and action by its name; an id that is pasted leads to its task at once. */
import '@mantine/spotlight/styles.layer.css';
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import {
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
import { addressOf } from '../api/client.ts';
import { useAccountId, useSession } from '../api/session.ts';
import { accountPages, operatorPages } from './navigation.tsx';
import { signOut } from './sign-out.ts';

const taskId = /\btask_[A-Za-z0-9_-]+/;
/** Nothing but an id: nobody needs to be asked what is meant. */
const wholeTaskId = /^task_[0-9a-z]{26}$/;

export function Palette({ openings }: { readonly openings: number }): ReactNode {
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (openings > 0) spotlight.open();
  }, [openings]);
  const actions = useActions();
  const pasted = taskId.exec(query)?.[0];
  const navigate = useNavigate();
  const byId: SpotlightActionData[] = pasted
    ? [
        {
          id: 'task',
          label: 'Open task',
          description: pasted,
          leftSection: <PlayIcon aria-hidden />,
          onClick: () => navigate({ to: '/tasks/$task', params: { task: pasted } }),
        },
      ]
    : [];
  return (
    <Spotlight
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Pages and actions' } }}
      query={query}
      onQueryChange={setQuery}
      actions={[...byId, ...actions]}
      {...(pasted ? { filter: () => byId } : {})}
      nothingFound="Nothing by that name"
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <MagnifyingGlassIcon aria-hidden />,
        placeholder: 'A page, an action, or a task id',
        'aria-label': 'Search or jump to',
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
  const ofAccount: SpotlightActionData[] =
    account === null
      ? []
      : accountPages.map(({ to, label, words, icon: Icon }) => ({
          id: to,
          label,
          keywords: words,
          leftSection: <Icon aria-hidden />,
          onClick: () => navigate({ to, params: { account } }),
        }));
  const ofOperator: SpotlightActionData[] = person.administrator
    ? operatorPages.map(({ to, label, icon: Icon }) => ({
        id: to,
        label,
        description: 'Operator',
        leftSection: <Icon aria-hidden />,
        onClick: () => navigate({ to }),
      }))
    : [];
  const others: SpotlightActionData[] = accounts
    .filter(({ id }) => id !== account)
    .map(({ id, name }) => ({
      id,
      label: `Go to account ${name}`,
      leftSection: <CubeIcon aria-hidden />,
      onClick: () => navigate({ to: '/accounts/$account', params: { account: id } }),
    }));
  return [
    ...ofAccount,
    ...ofOperator,
    ...others,
    {
      id: 'theme',
      label: 'Switch between dark and light',
      leftSection: <MoonIcon aria-hidden />,
      onClick: () => toggleColorScheme(),
    },
    {
      id: 'profile',
      label: 'Profile and sessions',
      keywords: 'password name',
      leftSection: <GearIcon aria-hidden />,
      onClick: () => navigate({ to: '/profile' }),
    },
    {
      id: 'docs',
      label: 'Reference',
      keywords: 'docs api openapi',
      leftSection: <ReaderIcon aria-hidden />,
      onClick: () => location.assign(addressOf('/docs')),
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      leftSection: <ExitIcon aria-hidden />,
      onClick: () => signOut(navigate),
    },
  ];
}
