/**
 * All pages and their URLs. A page is loaded when it is first opened. Pages that require a session
 * redirect to the sign-in page, which redirects back.
 */
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  Outlet,
  redirect,
  retainSearchParams,
  type SearchMiddleware,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';
import { ApiError } from './api/api-error.ts';
import { dashboardPath } from './api/base-path.ts';
import { queryClient } from './api/client.ts';
import { preferences } from './api/preferences.ts';
import { accountQuery, sessionQuery } from './api/session.ts';
import { signInMethodsQuery } from './auth/openid-result.ts';
import { pageSearch } from './components/search-params.ts';
import { tableSearch } from './components/table-url-state.ts';
import { playgroundSearch } from './playground/playground-search.ts';
import { AccountLayout } from './shell/account-layout.tsx';
import { lazyRouteComponent } from './shell/lazy.tsx';
import { AdminLayout } from './shell/navigation.tsx';
import { NotFoundPage, RouteError } from './shell/route-error.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRouteWithContext()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: RouteError,
});

/** A page that is loaded when it is first opened. */
const page = <
  Parent extends AnyRoute,
  const Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module & string,
>(
  parent: Parent,
  path: Path,
  importer: () => Promise<Module>,
  name: Name,
  loader?: () => unknown,
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    validateSearch: pageSearch,
    ...(loader && { loader }),
    component: lazyRouteComponent(importer, name),
  });

// Pages without a session.

const loadMethods = () => queryClient.ensureQueryData(signInMethodsQuery).catch(() => null);

type SignInSearch = { readonly to?: string; readonly problem?: string };

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  /** The page to return to: a path of the dashboard, never another host. */
  validateSearch: ({ to, problem }: { to?: unknown; problem?: unknown }): SignInSearch => ({
    ...(typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {}),
    ...(typeof problem === 'string' ? { problem } : {}),
  }),
  beforeLoad: async ({ search }) => {
    // Fetched again, because the cached session may have ended.
    const session = await queryClient
      .fetchQuery({ ...sessionQuery, staleTime: 0 })
      .catch(() => null);
    if (session) throw redirect({ href: `${dashboardPath}${search.to ?? '/'}`, replace: true });
  },
  loader: loadMethods,
  component: lazyRouteComponent(() => import('./auth/sign-in-page.tsx'), 'SignInPage'),
});

// Pages that require a session.

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  validateSearch: tableSearch,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      const to = location.href === '/' ? {} : { to: location.href };
      throw redirect({ to: '/sign-in', search: to });
    }
  },
  component: Shell,
  errorComponent: RouteError,
});

/** Not from the pages for administrators, which have a filter of that name. */
const keepMode: SearchMiddleware<{ mode: KeyMode }> = (context) =>
  location.pathname.includes('/operator/')
    ? context.next(context.search)
    : retainSearchParams<{ mode: KeyMode }>(['mode'])(context);

// Pages of an account.

const account = createRoute({
  getParentRoute: () => signedIn,
  path: 'accounts/$account',
  validateSearch: (search: { mode?: KeyMode } & SearchSchemaInput): { mode: KeyMode } => ({
    mode: keyModes.find((mode) => mode === search.mode) ?? preferences.mode.get() ?? 'live',
  }),
  search: { middlewares: [keepMode] },
  // Loaded before the page renders, so that the banners above it do not move it later.
  loader: async ({ params }) => {
    await queryClient.ensureQueryData(accountQuery(params.account)).catch(() => null);
  },
  component: AccountLayout,
});
const playground = createRoute({
  getParentRoute: () => account,
  path: 'playground',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(() => import('./playground/playground-page.tsx'), 'PlaygroundPage'),
});

// Pages for administrators.

const admin = createRoute({
  getParentRoute: () => signedIn,
  path: 'operator',
  validateSearch: (search: { mode?: KeyMode } & SearchSchemaInput): { mode?: KeyMode } => {
    const mode = keyModes.find((one) => one === search.mode);
    return mode ? { mode } : {};
  },
  component: AdminLayout,
});
const adminIndex = createRoute({
  getParentRoute: () => admin,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operator/overview' });
  },
});

export const routeTree = root.addChildren([
  signIn,
  page(root, 'forgot', () => import('./auth/sign-in-page.tsx'), 'ForgotPage', loadMethods),
  page(root, 'join', () => import('./auth/link-pages.tsx'), 'JoinPage', loadMethods),
  page(root, 'reset', () => import('./auth/link-pages.tsx'), 'ResetPage'),
  // Opened in a window of its own by the confirmation of a session.
  page(root, 'confirmed', () => import('./auth/link-pages.tsx'), 'ConfirmedPage'),
  signedIn.addChildren([
    page(signedIn, '/', () => import('./overview/start-page.tsx'), 'StartPage'),
    page(signedIn, 'profile', () => import('./auth/profile-page.tsx'), 'ProfilePage'),
    page(signedIn, 'notices', () => import('./notices/notices-page.tsx'), 'NoticesPage'),
    // Opened by the link that the command line prints.
    page(signedIn, 'login', () => import('./auth/cli-login-page.tsx'), 'CliLoginPage'),
    // Opens a task by its ID alone.
    page(signedIn, 'tasks/$task', () => import('./overview/start-page.tsx'), 'TaskRedirectPage'),
    account.addChildren([
      page(account, '/', () => import('./overview/overview-page.tsx'), 'OverviewPage'),
      playground,
      page(account, 'tasks', () => import('./tasks/tasks-page.tsx'), 'TasksPage'),
      page(account, 'tasks/$task', () => import('./tasks/task-page.tsx'), 'TaskPage'),
      page(account, 'keys', () => import('./keys/keys-page.tsx'), 'KeysPage'),
      page(account, 'credits', () => import('./credits/credits-page.tsx'), 'CreditsPage'),
      page(account, 'credits/statement', () => import('./credits/month.tsx'), 'MonthPage'),
      page(account, 'usage', () => import('./usage/usage-page.tsx'), 'UsagePage'),
      page(account, 'webhooks', () => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
      page(account, 'members', () => import('./members/members-page.tsx'), 'MembersPage'),
      page(account, 'settings', () => import('./members/settings-page.tsx'), 'SettingsPage'),
    ]),
    admin.addChildren([
      adminIndex,
      page(admin, 'overview', () => import('./admin/installation-page.tsx'), 'InstallationPage'),
      page(admin, 'accounts', () => import('./admin/accounts-page.tsx'), 'AccountsPage'),
      page(admin, 'accounts/$id', () => import('./admin/account-page.tsx'), 'AccountPage'),
      page(admin, 'tasks', () => import('./tasks/tasks-page.tsx'), 'AllTasksPage'),
      page(admin, 'refunds', () => import('./admin/refunds-page.tsx'), 'RefundsPage'),
      page(admin, 'providers', () => import('./providers/providers-page.tsx'), 'ProvidersPage'),
      page(admin, 'margin', () => import('./margin/margin-page.tsx'), 'MarginPage'),
      page(admin, 'boxes', () => import('./boxes/boxes-page.tsx'), 'BoxesPage'),
      page(admin, 'models', () => import('./models/models-page.tsx'), 'ModelsPage'),
      page(admin, 'codes', () => import('./admin/codes-page.tsx'), 'CodesPage'),
      page(admin, 'people', () => import('./admin/people-page.tsx'), 'PeoplePage'),
      page(admin, 'audit-log', () => import('./admin/audit-log-page.tsx'), 'AuditLogPage'),
      page(
        admin,
        'notices',
        () => import('./admin/notice-settings-page.tsx'),
        'NoticeSettingsPage',
      ),
      page(admin, 'system', () => import('./admin/system-page.tsx'), 'SystemPage'),
    ]),
  ]),
]);
