/**
 * All pages and their URLs. A page is loaded when it is first opened. Pages that require a session
 * redirect to the sign-in page, which redirects back.
 */
import {
  createRootRouteWithContext,
  createRoute,
  Outlet,
  redirect,
  retainSearchParams,
  type SearchMiddleware,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { type KeyMode, keyModes } from '@vidgen/contract/models.ts';
import type { OpenIdProblem } from '@vidgen/contract/sign-in.ts';
import { ApiError } from './api/api-error.ts';
import { dashboardPath } from './api/base-path.ts';
import { preferences } from './api/preferences.ts';
import { queryClient } from './api/query-client.ts';
import { accountQuery, sessionQuery } from './api/session.ts';
import { problemSearch } from './auth/openid-result.ts';
import { signInMethodsQuery } from './auth/sign-in-methods.ts';
import { pageSearch } from './components/search-params.ts';
import { tableSearch } from './components/table-url-state.ts';
import { playgroundSearch } from './playground/playground-search.ts';
import { AccountLayout } from './shell/account-layout.tsx';
import { lazyRouteComponent } from './shell/lazy.tsx';
import { NotFoundPage, RouteError } from './shell/route-error.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRouteWithContext()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: RouteError,
});

// Pages without a session.

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  /** The page to return to: a path of the dashboard, never another host. */
  validateSearch: ({
    to,
    ...search
  }: {
    to?: unknown;
    problem?: unknown;
  }): {
    to?: string;
    problem?: OpenIdProblem;
  } => ({
    ...(typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {}),
    ...problemSearch(search),
  }),
  beforeLoad: async ({ search }) => {
    // Fetched again, because the cached session may have ended.
    const session = await queryClient
      .fetchQuery({ ...sessionQuery, staleTime: 0 })
      .catch(() => null);
    if (session) throw redirect({ href: `${dashboardPath}${search.to ?? '/'}`, replace: true });
  },
  loader: () => queryClient.ensureQueryData(signInMethodsQuery).catch(() => null),
  component: lazyRouteComponent(() => import('./auth/sign-in-page.tsx'), 'SignInPage'),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: 'forgot',
  component: lazyRouteComponent(() => import('./auth/sign-in-page.tsx'), 'ForgotPage'),
});
const join = createRoute({
  getParentRoute: () => root,
  path: 'join',
  validateSearch: problemSearch,
  loader: () => queryClient.ensureQueryData(signInMethodsQuery).catch(() => null),
  component: lazyRouteComponent(() => import('./auth/link-pages.tsx'), 'JoinPage'),
});
const reset = createRoute({
  getParentRoute: () => root,
  path: 'reset',
  component: lazyRouteComponent(() => import('./auth/link-pages.tsx'), 'ResetPage'),
});

/** Opened in a window of its own by the confirmation of a session. */
const confirmed = createRoute({
  getParentRoute: () => root,
  path: 'confirmed',
  validateSearch: problemSearch,
  component: lazyRouteComponent(() => import('./auth/link-pages.tsx'), 'ConfirmedPage'),
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
const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/start-page.tsx'), 'StartPage'),
});
const profile = createRoute({
  getParentRoute: () => signedIn,
  path: 'profile',
  validateSearch: problemSearch,
  component: lazyRouteComponent(() => import('./auth/profile-page.tsx'), 'ProfilePage'),
});
const notices = createRoute({
  getParentRoute: () => signedIn,
  path: 'notices',
  component: lazyRouteComponent(() => import('./notices/notices-page.tsx'), 'NoticesPage'),
});
/** Opened by the link that the command line prints. */
const cliLogin = createRoute({
  getParentRoute: () => signedIn,
  path: 'login',
  validateSearch: ({ code }: { code?: unknown }): { code?: string } =>
    typeof code === 'string' && code !== '' ? { code } : {},
  component: lazyRouteComponent(() => import('./auth/cli-login-page.tsx'), 'CliLoginPage'),
});
/** Opens a task by its ID alone. */
const taskRedirect = createRoute({
  getParentRoute: () => signedIn,
  path: 'tasks/$task',
  component: lazyRouteComponent(() => import('./overview/start-page.tsx'), 'TaskRedirectPage'),
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
const overview = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
});
const playground = createRoute({
  getParentRoute: () => account,
  path: 'playground',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(() => import('./playground/playground-page.tsx'), 'PlaygroundPage'),
});
const tasks = createRoute({
  getParentRoute: () => account,
  path: 'tasks',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./tasks/tasks-page.tsx'), 'TasksPage'),
});
const task = createRoute({
  getParentRoute: () => account,
  path: 'tasks/$task',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./tasks/task-page.tsx'), 'TaskPage'),
});
const apiKeys = createRoute({
  getParentRoute: () => account,
  path: 'keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
});
const creditsPage = createRoute({
  getParentRoute: () => account,
  path: 'credits',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./credits/credits-page.tsx'), 'CreditsPage'),
});
const usage = createRoute({
  getParentRoute: () => account,
  path: 'usage',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
});
const webhooks = createRoute({
  getParentRoute: () => account,
  path: 'webhooks',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const members = createRoute({
  getParentRoute: () => account,
  path: 'members',
  component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
});

// Pages for administrators.

const admin = createRoute({
  getParentRoute: () => signedIn,
  path: 'operator',
  validateSearch: (search: { mode?: KeyMode } & SearchSchemaInput): { mode?: KeyMode } => {
    const mode = keyModes.find((one) => one === search.mode);
    return mode ? { mode } : {};
  },
  beforeLoad: async () => {
    const { person } = await queryClient.ensureQueryData(sessionQuery);
    if (!person.administrator) throw redirect({ to: '/' });
  },
  component: Outlet,
});
const installation = createRoute({
  getParentRoute: () => admin,
  path: 'overview',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./admin/installation-page.tsx'), 'InstallationPage'),
});
const adminAccounts = createRoute({
  getParentRoute: () => admin,
  path: 'accounts',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./admin/accounts-page.tsx'), 'AccountsPage'),
});
const adminAccount = createRoute({
  getParentRoute: () => admin,
  path: 'accounts/$id',
  component: lazyRouteComponent(() => import('./admin/account-page.tsx'), 'AccountPage'),
});
const adminTasks = createRoute({
  getParentRoute: () => admin,
  path: 'tasks',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./tasks/tasks-page.tsx'), 'AllTasksPage'),
});
const refunds = createRoute({
  getParentRoute: () => admin,
  path: 'refunds',
  component: lazyRouteComponent(() => import('./admin/refunds-page.tsx'), 'RefundsPage'),
});
const providers = createRoute({
  getParentRoute: () => admin,
  path: 'providers',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./providers/providers-page.tsx'), 'ProvidersPage'),
});
const codes = createRoute({
  getParentRoute: () => admin,
  path: 'codes',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./admin/codes-page.tsx'), 'CodesPage'),
});
const people = createRoute({
  getParentRoute: () => admin,
  path: 'people',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./admin/people-page.tsx'), 'PeoplePage'),
});
const auditLog = createRoute({
  getParentRoute: () => admin,
  path: 'audit-log',
  validateSearch: pageSearch,
  component: lazyRouteComponent(() => import('./admin/audit-log-page.tsx'), 'AuditLogPage'),
});
const noticeSettings = createRoute({
  getParentRoute: () => admin,
  path: 'notices',
  component: lazyRouteComponent(
    () => import('./admin/notice-settings-page.tsx'),
    'NoticeSettingsPage',
  ),
});
const invariants = createRoute({
  getParentRoute: () => admin,
  path: 'invariants',
  component: lazyRouteComponent(() => import('./admin/invariants-page.tsx'), 'InvariantsPage'),
});
const system = createRoute({
  getParentRoute: () => admin,
  path: 'system',
  component: lazyRouteComponent(() => import('./admin/system-page.tsx'), 'SystemPage'),
});

export const routeTree = root.addChildren([
  signIn,
  forgot,
  join,
  reset,
  confirmed,
  signedIn.addChildren([
    start,
    profile,
    notices,
    cliLogin,
    taskRedirect,
    account.addChildren([
      overview,
      playground,
      tasks,
      task,
      apiKeys,
      creditsPage,
      usage,
      webhooks,
      members,
    ]),
    admin.addChildren([
      installation,
      adminAccounts,
      adminAccount,
      adminTasks,
      refunds,
      providers,
      codes,
      people,
      auditLog,
      noticeSettings,
      invariants,
      system,
    ]),
  ]),
]);
