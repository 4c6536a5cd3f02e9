/** The navigation: the pages of an account, or the places of the administration. */
import { Badge, Box, Stack } from '@mantine/core';
import {
  BarChartIcon,
  CubeIcon,
  DashboardIcon,
  DesktopIcon,
  GearIcon,
  HomeIcon,
  IdCardIcon,
  ListBulletIcon,
  LockClosedIcon,
  MagicWandIcon,
  MixerHorizontalIcon,
  PaperPlaneIcon,
  PersonIcon,
  TokensIcon,
  VideoIcon,
} from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAccountId, useSession } from '../api/session.ts';
import { NavItem } from '../components/links.tsx';
import { summaryQuery } from './banners.tsx';
import { AdministratorsOnly } from './route-error.tsx';
import classes from './shell.module.css';

export const accountPages = [
  { to: '/accounts/$account', label: 'Overview', icon: HomeIcon },
  { to: '/accounts/$account/playground', label: 'Playground', icon: MagicWandIcon },
  { to: '/accounts/$account/tasks', label: 'Tasks', icon: ListBulletIcon },
  { to: '/accounts/$account/keys', label: 'API keys', icon: LockClosedIcon },
  { to: '/accounts/$account/credits', label: 'Credits', icon: TokensIcon },
  { to: '/accounts/$account/usage', label: 'Usage', icon: BarChartIcon },
  { to: '/accounts/$account/webhooks', label: 'Webhooks', icon: PaperPlaneIcon },
  { to: '/accounts/$account/members', label: 'Members', icon: PersonIcon },
  { to: '/accounts/$account/settings', label: 'Settings', icon: GearIcon },
] as const;

/** The places of the administration. The pages of a place are tabs above them. */
const adminPlaces = [
  { label: 'Overview', icon: DashboardIcon, pages: { '/operator/overview': 'Overview' } },
  { label: 'Accounts', icon: CubeIcon, pages: { '/operator/accounts': 'Accounts' } },
  { label: 'Tasks', icon: ListBulletIcon, pages: { '/operator/tasks': 'Tasks' } },
  {
    label: 'Providers and models',
    icon: VideoIcon,
    pages: {
      '/operator/providers': 'Providers',
      '/operator/models': 'Models',
      '/operator/boxes': 'GPU boxes',
    },
  },
  {
    label: 'Money',
    icon: TokensIcon,
    pages: {
      '/operator/margin': 'Margin',
      '/operator/refunds': 'Failed refunds',
      '/operator/codes': 'Redemption codes',
    },
  },
  { label: 'People', icon: IdCardIcon, pages: { '/operator/people': 'People' } },
  {
    label: 'System',
    icon: DesktopIcon,
    pages: {
      '/operator/system': 'Status',
      '/operator/audit-log': 'Audit log',
      '/operator/notices': 'Notice settings',
    },
  },
] as const;
type Place = (typeof adminPlaces)[number];
type AdminPath = Place['pages'] extends infer Pages
  ? Pages extends object
    ? keyof Pages
    : never
  : never;

const pagesOf = ({ pages }: Place) => Object.entries(pages) as [AdminPath, string][];

export const adminPages = adminPlaces.flatMap((place) =>
  pagesOf(place).map(([to, label]) => ({ to, label, icon: place.icon, place: place.label })),
);

export function Navigation({ onNavigate }: { onNavigate(): void }) {
  const account = useAccountId();
  const { person } = useSession();
  const isAdministration = useIsAdministration();
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
      {isAdministration || account === null ? null : (
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
      {isAdministration ? <AdminPlaces onNavigate={onNavigate} /> : null}
      {person.administrator && !isAdministration ? (
        <NavItem
          className={classes.navigationItem ?? ''}
          to="/operator/overview"
          label="Administration"
          leftSection={<MixerHorizontalIcon aria-hidden />}
          rightSection={<WaitingBadge />}
          onClick={onNavigate}
        />
      ) : null}
    </Stack>
  );
}

/** Whether the page is one of the administration, which belongs to no account and no mode. */
export function useIsAdministration(): boolean {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return useSession().person.administrator && isWithin(path, '/operator');
}

const isWithin = (path: string, to: string): boolean => path === to || path.startsWith(`${to}/`);
const isOf = (place: Place, path: string): boolean =>
  pagesOf(place).some(([to]) => isWithin(path, to));

function AdminPlaces({ onNavigate }: { onNavigate(): void }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <Box>
      {adminPlaces.map((place) => {
        const { label, icon: Icon } = place;
        const isActive = isOf(place, path);
        return (
          <NavItem
            key={label}
            className={classes.navigationItem ?? ''}
            to={pagesOf(place)[0]![0]}
            label={label}
            leftSection={<Icon aria-hidden />}
            rightSection={label === 'Money' ? <WaitingBadge /> : null}
            onClick={onNavigate}
            active={isActive}
            {...(isActive ? { 'aria-current': 'page' as const } : {})}
          />
        );
      })}
    </Box>
  );
}

/** How many refunds wait for a decision. */
function WaitingBadge() {
  const { data: summary } = useQuery(summaryQuery);
  const waiting = summary?.refunds_waiting ?? 0;
  return waiting === 0 ? null : (
    <Badge color="red" variant="filled" size="sm" aria-label={`${waiting} to review`}>
      {waiting}
    </Badge>
  );
}

/** A page of the administration, below the tabs of its place. */
export function AdminLayout() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { person } = useSession();
  if (!person.administrator) return <AdministratorsOnly />;
  const place = adminPlaces.find((one) => isOf(one, path));
  const pages = place ? pagesOf(place) : [];
  return (
    <>
      {place && pages.length > 1 ? (
        <nav aria-label={place.label} className={classes.tabs}>
          {pages.map(([to, label]) => (
            <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
              {label} {to === '/operator/refunds' ? <WaitingBadge /> : null}
            </Link>
          ))}
        </nav>
      ) : null}
      <Outlet />
    </>
  );
}
