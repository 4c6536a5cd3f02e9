/**
 * The start of every dashboard test: the service, the built dashboard, a real browser, and people
 * who join by invitation links.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { AccountRole, CreatedInvitation } from '@vidgen/contract/people.ts';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { startService, type TestServiceOptions } from './service.ts';

export type Visitor = Awaited<ReturnType<typeof openVisitor>>;

type VisitOptions = {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly name?: string;
  readonly email?: string;
  /** Of the pages, where the test makes something fail. */
  readonly ignoredErrors?: RegExp;
};

/** For each step: a machine that runs other files too can take far longer than alone. */
const actionMsMax = 120_000;

export const password = 'a password that only tests know';

export async function startDashboard(
  options: TestServiceOptions = {},
  usual: Pick<VisitOptions, 'ignoredErrors'> = {},
) {
  const service = await startService(options);
  const browser = await launchBrowser();
  const visitors: Visitor[] = [];
  let people = 0;

  const anonymous = async (visit: VisitOptions = {}) => {
    const visitor = await openVisitor(browser, service.url, { ...usual, ...visit });
    visitors.push(visitor);
    return visitor;
  };
  const invited = async (path: string, request: unknown, visit: VisitOptions = {}) => {
    const { status, body } = await service.admin.post(path, request);
    assert.equal(status, 201, JSON.stringify(body));
    const visitor = await anonymous(visit);
    people++;
    await joinBy(visitor.page, (body as CreatedInvitation).link, {
      name: visit.name ?? `Person ${people}`,
      email: visit.email ?? `person-${people}@example.com`,
    });
    return visitor;
  };
  return {
    service,
    browser,
    anonymous,
    /** A new administrator, who joins through the page of an invitation link. */
    administrator: (visit?: VisitOptions) => invited('/admin/invitations', {}, visit),
    member: (account: string, role: AccountRole, visit?: VisitOptions) =>
      invited(`/admin/accounts/${account}/invitations`, { role }, visit),
    /** Fails if something went wrong on a page of any visitor. */
    async close(): Promise<void> {
      await browser.close();
      await service.close();
      const errors = visitors.flatMap(({ pageErrors }) => pageErrors);
      assert.deepEqual(errors, []);
    },
  };
}

/** A browser context of its own, with everything that goes wrong in its page. */
export async function openVisitor(
  browser: Browser,
  url: string,
  { width = 1440, colorScheme = 'light', ignoredErrors }: VisitOptions = {},
) {
  const viewport = { width, height: width < 600 ? 844 : 900 };
  const context = await browser.newContext({ viewport, colorScheme, baseURL: url });
  context.setDefaultTimeout(actionMsMax);
  const page = await context.newPage();
  const pageErrors: string[] = [];
  let hasNetworkChanged = false;
  const report = (error: string) => {
    const isOfNetwork = /net::ERR_NETWORK_CHANGED|This page couldn’t be loaded/.test(error);
    if (ignoredErrors?.test(error) || (hasNetworkChanged && isOfNetwork)) return;
    pageErrors.push(error);
  };
  page.on('pageerror', ({ message }) => report(message));
  page.on('console', (message) => {
    // Another test may change the networks of the machine: what was being loaded fails then.
    hasNetworkChanged ||= message.text().includes('net::ERR_NETWORK_CHANGED');
    // A test may expect an HTTP error, but never a policy violation.
    const isHttpError = /^Failed to load resource: the server responded/.test(message.text());
    if (message.type() === 'error' && !isHttpError) report(message.text());
  });
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(url) || /^(data|blob):/.test(request.url());
    if (!isOurs) report(`asked another host: ${request.url()}`);
  });
  return {
    context,
    page,
    /** Script errors, policy violations and requests to other hosts. */
    pageErrors,
    /** Opens a page of the dashboard, such as `/accounts/…/tasks`, and waits for its heading. */
    async open(path: string): Promise<void> {
      await page.goto(`/dashboard${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  };
}

export async function joinBy(
  page: Page,
  link: string,
  { name, email }: { readonly name: string; readonly email: string },
): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  // On a phone the navigation is collapsed, so the page is what is waited for.
  await page.locator('main#page').waitFor();
}

/** No violation of accessibility, and nothing wider than the window. */
export async function assertPage({ page }: Visitor, what = page.url()): Promise<void> {
  assert.deepEqual(await axeProblems(page), [], what);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert(overflow <= 0, `${what} is ${overflow} px too wide`);
}

/** Drops a file from the disk on an element, as a hand does. */
export async function dropFile(zone: Locator, path: URL, type: string): Promise<void> {
  const file = { name: basename(path.pathname), type, content: [...(await readFile(path))] };
  const dataTransfer = await zone.page().evaluateHandle(({ name, type, content }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(content)], name, { type }));
    return transfer;
  }, file);
  await zone.dispatchEvent('dragenter', { dataTransfer });
  await zone.dispatchEvent('drop', { dataTransfer });
}

/** Changes the system theme without a reload, and waits until the colors have settled. */
export async function changeTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const root = page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`);
  await root.waitFor({ state: 'attached' });
  await page.evaluate(async () => {
    const fading = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(fading.map(({ finished }) => finished));
  });
}

const axe = () =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns the accessibility violations that axe finds, each with its elements. `colors` checks only
 * color contrast, which is all that another theme can change.
 */
export async function axeProblems(page: Page, what: 'all' | 'colors' = 'all'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe());
  return await page.evaluate(
    async (rules) => {
      type Found = { id: string; help: string; nodes: { target: unknown[] }[] };
      type Axe = { run(options: object): Promise<{ violations: Found[] }> };
      const { axe } = globalThis as unknown as { axe: Axe };
      // All rules run, but passed ones are not collected: that takes longer than the rules.
      const only = rules === null ? {} : { runOnly: rules };
      const { violations } = await axe.run({ resultTypes: ['violations'], ...only });
      return violations.map(
        ({ id, help, nodes }) =>
          `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
      );
    },
    what === 'all' ? null : ['color-contrast'],
  );
}
