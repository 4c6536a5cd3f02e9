/** The navigation: pages of the account, and below them the pages for administrators. */
import { Badge, Box, Stack, Text } from '@mantine/core';
import {
  ActivityLogIcon,
  BarChartIcon,
  CardStackIcon,
  CubeIcon,
  DashboardIcon,
  DesktopIcon,
  EnvelopeClosedIcon,
  HomeIcon,
  IdCardIcon,
  LaptopIcon,
  ListBulletIcon,
  LockClosedIcon,
  MagicWandIcon,
  PaperPlaneIcon,
  PersonIcon,
  PieChartIcon,
  ReaderIcon,
  ResetIcon,
  TokensIcon,
  VideoIcon,
} from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useAccountId, useSession } from '../api/session.ts';
import { NavItem } from '../components/links.tsx';
import { summaryQuery } from './banners.tsx';
import classes from './shell.module.css';

const accountPages = [
  { to: '/accounts/$account', label: 'Overview', icon: HomeIcon },
  { to: '/accounts/$account/playground', label: 'Playground', icon: MagicWandIcon },
  { to: '/accounts/$account/tasks', label: 'Tasks', icon: ListBulletIcon },
  { to: '/accounts/$account/keys', label: 'API keys', icon: LockClosedIcon },
  { to: '/accounts/$account/credits', label: 'Credits', icon: TokensIcon },
  { to: '/accounts/$account/usage', label: 'Usage', icon: BarChartIcon },
  { to: '/accounts/$account/webhooks', label: 'Webhooks', icon: PaperPlaneIcon },
  { to: '/accounts/$account/members', label: 'Members', icon: PersonIcon },
] as const;

const adminPages = [
  { to: '/operator/overview', label: 'Installation', icon: DashboardIcon },
  { to: '/operator/accounts', label: 'Accounts', icon: CubeIcon },
  { to: '/operator/tasks', label: 'All tasks', icon: ListBulletIcon },
  { to: '/operator/refunds', label: 'Refunds', icon: ResetIcon },
  { to: '/operator/providers', label: 'Providers', icon: ActivityLogIcon },
  { to: '/operator/boxes', label: 'GPU boxes', icon: LaptopIcon },
  { to: '/operator/models', label: 'Models', icon: VideoIcon },
  { to: '/operator/margin', label: 'Margin', icon: PieChartIcon },
  { to: '/operator/codes', label: 'Redemption codes', icon: CardStackIcon },
  { to: '/operator/people', label: 'People', icon: IdCardIcon },
  { to: '/operator/audit-log', label: 'Audit log', icon: ReaderIcon },
  { to: '/operator/notices', label: 'Notice settings', icon: EnvelopeClosedIcon },
  { to: '/operator/system', label: 'System', icon: DesktopIcon },
] as const;

export function Navigation({ onNavigate }: { onNavigate(): void }): ReactNode {
  const account = useAccountId();
  const { person } = useSession();
  const list = useRef<HTMLDivElement>(null);
  const page = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  // On a low screen the list scrolls, and the link of a page that was opened by URL may be hidden.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page decides which link is current
  useEffect(() => {
    const link = list.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    const box = list.current?.parentElement;
    if (!link || !box) return;
    // Not `scrollIntoView`: in Chromium the next Tab would continue at the link.
    const { top, bottom } = box.getBoundingClientRect();
    box.scrollTop += Math.min(0, link.top - top) + Math.max(0, link.bottom - bottom);
  }, [page]);
  return (
    <Stack ref={list} gap="lg" component="nav" aria-label="Main">
      {account === null ? null : (
        <Box>
          {accountPages.map(({ to, label, icon: Icon }) => (
            <NavItem
              key={to}
              className={classes.navigationItem ?? ''}
              to={to}
              params={{ account }}
              label={label}
              leftSection={<Icon aria-hidden />}
              onClick={onNavigate}
              activeOptions={{ exact: to === '/accounts/$account', includeSearch: false }}
              activeProps={{ active: true, 'aria-current': 'page' }}
            />
          ))}
        </Box>
      )}
      {person.administrator ? <AdminPages onNavigate={onNavigate} /> : null}
    </Stack>
  );
}

function AdminPages({ onNavigate }: { onNavigate(): void }): ReactNode {
  const { data: summary } = useQuery(summaryQuery);
  const waiting = summary?.refunds_waiting ?? 0;
  return (
    <Box>
      <Text fz="xs" fw={500} c="dimmed" px="sm" mb={4}>
        Admin
      </Text>
      {adminPages.map(({ to, label, icon: Icon }) => (
        <NavItem
          key={to}
          className={classes.navigationItem ?? ''}
          to={to}
          label={label}
          leftSection={<Icon aria-hidden />}
          rightSection={
            to === '/operator/refunds' && waiting > 0 ? (
              <Badge color="red" variant="filled" size="sm" aria-label={`${waiting} to review`}>
                {waiting}
              </Badge>
            ) : null
          }
          onClick={onNavigate}
          activeOptions={{ includeSearch: false }}
          activeProps={{ active: true, 'aria-current': 'page' }}
        />
      ))}
    </Box>
  );
}
