/** Every page that is photographed, by the name of its screenshot. */
import type { CreatedInvitation } from '@vidgen/contract/people.ts';
import type { Page } from 'playwright-core';
import { dashboardPages } from './dashboard-seed.ts';
import type { DemoInstallation } from './demo-installation.ts';
import type { TestService } from './service.ts';

export type Screen = {
  readonly path: string;
  /** Opens a dialog or a menu; the screenshot then has what is in view. */
  readonly act?: (page: Page) => Promise<void>;
  readonly visitor?: 'guest' | 'administrator';
};

export async function dashboardScreens(
  service: TestService,
  studio: DemoInstallation,
): Promise<Readonly<Record<string, Screen>>> {
  const { body } = await service.admin.post(`/admin/accounts/${studio.account}/invitations`, {
    role: 'developer',
  });
  const join = new URL((body as CreatedInvitation).link);
  const pages = Object.entries(dashboardPages(studio)).map(
    ([name, path]) => [name, { path: `/dashboard${path}` }] as const,
  );
  const account = `/dashboard/accounts/${studio.account}`;
  const taskOf = async (condition: string) => {
    const { rows } = await service.db.query<{ id: string; account: string }>(
      `select id, account_id as account from tasks where ${condition} order by id desc limit 1`,
    );
    const [task] = rows;
    return `/dashboard/accounts/${task?.account}/tasks/${task?.id}?mode=live`;
  };
  const guest = (path: string): Screen => ({ path, visitor: 'guest' });
  return {
    ...Object.fromEntries(pages),
    'task-failed': { path: await taskOf(`failed_reason = 'provider_failed'`) },
    'task-running': { path: await taskOf(`status = 'generating'`) },
    'task-queued': { path: await taskOf(`status = 'queued'`) },
    'tasks-failed': { path: `${account}/tasks?mode=live&status=failed` },
    'playground-test': { path: `${account}/playground?mode=test` },
    'playground-suspended': {
      path: `/dashboard/accounts/${studio.suspended}/playground?mode=live`,
    },
    'operator-account-suspended': {
      path: `/dashboard/operator/accounts/${studio.suspended}`,
    },
    'overview-suspended': { path: `/dashboard/accounts/${studio.suspended}?mode=live` },
    'no-matches': { path: '/dashboard/operator/accounts?q=no%20such%20customer' },
    'account-not-found': {
      path: '/dashboard/accounts/00000000-0000-7000-8000-000000000000?mode=live',
    },
    ...dialogs(account),
    'sign-in': guest('/dashboard/sign-in'),
    forgot: guest('/dashboard/forgot'),
    join: guest(`${join.pathname}${join.hash}`),
    'join-expired': guest('/dashboard/join#not-a-link'),
    reset: guest('/dashboard/reset#not-a-link'),
    docs: guest('/docs'),
    guides: guest('/guides'),
    guide: guest('/guides/quick-start'),
  };
}

const dialogs = (account: string): Readonly<Record<string, Screen>> => ({
  'notices-panel': {
    path: `${account}?mode=live`,
    act: async (page) => {
      await page.getByRole('button', { name: /^Notices/ }).click();
      await page.getByRole('heading', { level: 2, name: 'Notices' }).waitFor();
    },
  },
  palette: {
    path: '/dashboard/operator/accounts',
    act: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('textbox', { name: 'Search' }).fill('harbor');
      await page.getByRole('button', { name: /Harbor & Pine.*Account/ }).waitFor();
    },
  },
  'new-key': {
    path: `${account}/keys?mode=live`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  invite: {
    path: `${account}/members?mode=live`,
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Invite/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  'connect-provider': {
    path: '/dashboard/operator/providers',
    act: async (page) => {
      await page.getByRole('button', { name: 'Connect provider' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
});
