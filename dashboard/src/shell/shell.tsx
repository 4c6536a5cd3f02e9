/** The layout of every page with a session: sidebar, header on small screens, page. */
import { Box, Burger, Group, Stack } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { type RefObject, Suspense, useEffect, useRef } from 'react';
import { preferences } from '../api/preferences.ts';
import { useAccountId, useMode } from '../api/session.ts';
import { PageSkeleton } from '../components/states.tsx';
import { NoticeBell } from '../notices/notice-bell.tsx';
import { Balance, ModeSwitch } from './balance.tsx';
import { ConnectionBanner, PreviewBanner, TestModeBanner } from './banners.tsx';
import { LazyConfirmSession } from './lazy.tsx';
import { AccountSwitcher, UserMenu } from './menus.tsx';
import { Navigation } from './navigation.tsx';
import { PaletteButton } from './palette-button.tsx';
import classes from './shell.module.css';
import { Brand, SiteLinks } from './site-header.tsx';

export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  useHotkeys([['Escape', close]]);
  const account = useAccountId();
  const hasMode = useHasMode();
  const isTest = useMode() === 'test' && hasMode;
  const content = useRef<HTMLDivElement>(null);
  useRestoreFocus(content);
  useRememberScope();
  return (
    <div className={classes.layout} data-mode={isTest ? 'test' : undefined}>
      <a className={classes.skipLink} href="#page">
        Skip to content
      </a>
      <header className={classes.header}>
        <Burger
          className={classes.burger ?? ''}
          opened={isOpen}
          onClick={toggle}
          size="sm"
          aria-expanded={isOpen}
          aria-controls="navigation"
          aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
        />
        <Brand />
        <SiteLinks className={classes.headerLinks ?? ''} />
        <PaletteButton />
        <Group gap="md" wrap="nowrap" className={classes.headerScope ?? ''}>
          {hasMode ? (
            <>
              <Box visibleFrom="md">
                <ModeSwitch />
              </Box>
              <Balance />
            </>
          ) : null}
          <NoticeBell />
        </Group>
      </header>
      <aside
        id="navigation"
        aria-label="Account and navigation"
        className={classes.sidebar}
        data-open={isOpen || undefined}
      >
        {account === null ? null : (
          <Stack gap="sm" mb="md">
            <AccountSwitcher />
            {hasMode ? (
              <Box hiddenFrom="md">
                <ModeSwitch />
              </Box>
            ) : null}
          </Stack>
        )}
        <div className={classes.navigation}>
          <Navigation onNavigate={close} />
          <SiteLinks className={classes.sidebarLinks ?? ''} />
        </div>
        <div className={classes.userMenu}>
          <UserMenu />
        </div>
      </aside>
      <main id="page" tabIndex={-1} className={classes.main}>
        <ConnectionBanner />
        {isTest ? <TestModeBanner /> : null}
        <div ref={content} tabIndex={-1} className={classes.page}>
          {isTest ? null : <PreviewBanner />}
          <Suspense fallback={<PageSkeleton />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
      <LazyConfirmSession />
    </div>
  );
}

/** Focuses the new page, below its banners, when the focused element was removed with the old. */
function useRestoreFocus(content: RefObject<HTMLElement | null>): void {
  const page = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      focused.current = target as Element;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
  // A first page may resolve in several steps: nothing was focused, and the focus stays at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page removes the old one
  useEffect(() => {
    const isRemoved = focused.current !== null && !focused.current.isConnected;
    const isNowhere = document.activeElement === document.body;
    if (isRemoved && isNowhere) content.current?.focus({ preventScroll: true });
  }, [page, content]);
}

/** Members and settings of an account are the same in both modes, and have no use for a balance. */
function useHasMode(): boolean {
  const { account } = useParams({ strict: false });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return account !== undefined && !/\/(members|settings)$/.test(path);
}

/** Stores the account and the mode as the start of the next visit. */
function useRememberScope(): void {
  const { account } = useParams({ strict: false });
  const mode = useMode();
  useEffect(() => {
    if (account === undefined) return;
    preferences.account.set(account);
    preferences.mode.set(mode);
  }, [account, mode]);
}
