/**
 * The dashboard when something goes wrong: try again, cancel, dropped files, no connection, and
 * files of a previous build.
 * Thorough: a minute in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture.close());
const { service } = fixture;

const newAccount = () => service.account({ test: 1000, live: 1000, mode: 'test' });

async function failedTask(account: Awaited<ReturnType<typeof newAccount>>): Promise<string> {
  const { body } = await account.client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A quiet street [test:fail]', resolution: '480p', duration: 5 },
  });
  await account.client.final(body.taskId as string);
  return body.taskId as string;
}

test('creates a task again with its price, once for a double click, and charges it', async () => {
  const account = await newAccount();
  const failed = await failedTask(account);
  const { page, open } = await fixture.member(account.id, 'developer');
  await open(`/accounts/${account.id}/tasks/${failed}?mode=test`);
  await page.getByRole('button', { name: 'Try again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Try again?' });
  await dialog.getByText(/It costs \d+ of your 1,000 test credits/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByRole('button', { name: 'Create task' }).dblclick();
  await page.waitForURL((url) => !url.pathname.endsWith(failed) && /task_/.test(url.pathname));
  const { body } = await account.client.get('/v1/tasks?limit=10');
  assert.equal((body.items as unknown[]).length, 2, 'one task more');
  await service.assertInvariants();
});

test('test mode is tinted, offers its marks, and a running task can be canceled', async () => {
  const account = await newAccount();
  const { page, open } = await fixture.member(account.id, 'developer');
  await open(`/accounts/${account.id}/playground?mode=test`);
  await page.getByText('Test mode.').waitFor();
  const tint = () =>
    page.locator('main#page').evaluate((main) => getComputedStyle(main).backgroundColor);
  const testTint = await tint();
  await page.getByLabel('Prompt').fill('A slow river');
  await page.getByText('Fails', { exact: true }).click();
  await page.getByText('Takes 60 s').click();
  assert.equal(await page.getByLabel('Prompt').inputValue(), 'A slow river [test:slow]');
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('button', { name: 'Cancel task' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('link', { name: 'Switch to live' }).click();
  await page.getByText('Test mode.').waitFor({ state: 'hidden' });
  assert.equal(await page.getByLabel('Takes 60 s').count(), 0, 'live prompts have no marks');
  assert.notEqual(await tint(), testTint);
});

test('a screen reader hears how long a running task will take', async () => {
  const { id, client } = await newAccount();
  const create = async (prompt: string) => {
    const input = { prompt, resolution: '480p', duration: 4 };
    return String((await client.create({ model: 'vidgen-2-0-mini', input })).body.taskId);
  };
  const first = await create('A boat at dusk');
  await client.final(first);
  await service.db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica'); // Times do not change.
    await tx.query(`update tasks set created_at = created_at - interval '9 min' where id = $1`, [
      first,
    ]);
  });
  const { page, open } = await fixture.member(id, 'viewer');
  const task = await create('A river [test:slow]');
  await open(`/accounts/${id}/playground?mode=test&task=${task}`);
  const bar = page.getByRole('progressbar', { name: 'Generation progress' });
  const spoken = page.locator('[aria-valuetext^="About "][aria-valuetext$=" left"]');
  await bar.and(spoken).waitFor();
  await page.getByText(/^Generating, /).waitFor();
  await service.db.query('update tasks set progress = 0.592 where id = $1', [task]);
  await bar.and(spoken).and(page.locator('[aria-valuenow="59"]')).waitFor();
});

const isBroken = { ignoredErrors: /./ };
test('a button keeps its label and its width while it works', async () => {
  const { id } = await newAccount();
  const { page, open } = await fixture.member(id, 'owner');
  await open(`/accounts/${id}/settings`);
  await page.getByRole('button', { name: 'Rename' }).click();
  const button = page.getByRole('button', { name: 'Rename account' });
  const { width } = (await button.boundingBox())!;
  const held = Promise.withResolvers<void>();
  await page.route(`**/admin/accounts/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  await button.click();
  await page.locator('button[data-loading]').waitFor();
  assert.equal(await button.innerText(), 'Rename account');
  assert(await button.getByText('Rename account').isVisible());
  const inner = button.locator('.mantine-Button-inner');
  assert.equal(await inner.evaluate((one) => getComputedStyle(one).opacity), '1');
  assert.equal((await button.boundingBox())!.width, width);
  held.resolve();
  await page.getByText('Account renamed').waitFor();
});

test('a placeholder has the place and the width of what comes', async () => {
  const { id } = await newAccount();
  const { page, open } = await fixture.administrator();
  const pages: readonly (readonly [path: string, requests: string, content: string])[] = [
    [`/accounts/${id}/keys?mode=test`, `**/admin/accounts/${id}/keys?*`, 'table'],
    [`/accounts/${id}/usage?mode=test`, `**/admin/accounts/${id}/usage?*`, '.mantine-Paper-root'],
    ['/operator/providers', '**/admin/providers', 'article'],
    ['/operator/models', '**/admin/models', 'article'],
  ];
  for (const [path, requests, content] of pages) {
    const held = Promise.withResolvers<void>();
    await page.route(requests, async (route) => {
      await held.promise;
      await route.continue();
    });
    await open(path);
    const boxOf = async (selector: string) => {
      await page.locator(selector).first().waitFor();
      const { x, y, width } = (await page.locator(selector).first().boundingBox())!;
      return [x, y, width] as const;
    };
    const placeholder = await boxOf('[aria-busy] :is(.mantine-Paper-root, .mantine-Skeleton-root)');
    held.resolve();
    // A border is part of one or the other.
    for (const [at, value] of (await boxOf(`main ${content}`)).entries()) {
      assert(Math.abs(value - placeholder[at]!) <= 2, `${path}: ${placeholder} then ${value}`);
    }
    await page.unroute(requests);
  }
});

const shell = (page: Page) => page.getByRole('navigation').first();

test('without a connection the shell stays, and the page opens when it is back', async () => {
  const account = await newAccount();
  const { page, open, context } = await fixture.member(account.id, 'developer', isBroken);
  await open(`/accounts/${account.id}?mode=test`);
  await context.setOffline(true);
  await page.getByText('You’re offline. Retrying…').waitFor();
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('heading', { name: 'Waiting for the connection' }).waitFor();
  assert(await shell(page).isVisible());
  await context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  await page.getByText('Retrying…').waitFor({ state: 'hidden' });
});

test('a service that restarts behind a proxy is retried by hand and by itself', async () => {
  const account = await newAccount();
  const { page, open } = await fixture.member(account.id, 'developer', isBroken);
  await open(`/accounts/${account.id}/keys?mode=test`);
  await page.route(/\/(admin|session|healthz)/, (route) =>
    route.fulfill({ status: 502, body: '' }),
  );
  await page.getByText('Can’t reach the server. Retrying…').waitFor();
  await page.getByRole('button', { name: 'Retry now' }).click();
  assert(await shell(page).isVisible());
  await page.unroute(/\/(admin|session|healthz)/);
  await page.getByText('Retrying…').waitFor({ state: 'hidden' });
});

test('a file of a previous build reloads the page once, and never twice', async () => {
  const account = await newAccount();
  const { page, open } = await fixture.member(account.id, 'developer', isBroken);
  await open(`/accounts/${account.id}?mode=test`);
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  const usageFile = /assets\/usage-page[^/]*\.js/;
  await page.route(usageFile, (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: 'A new version is available' }).waitFor();
  assert(await shell(page).isVisible());
  // A page can be shown before it counts as loaded.
  await page.waitForLoadState();
  assert.equal(loads, 1);
  await page.unroute(usageFile);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  await page.waitForLoadState();
  assert.equal(loads, 2);
});

test('a page whose scripts are missing says so, and opens when they are back', async () => {
  const account = await newAccount();
  const { page } = await fixture.member(account.id, 'developer', isBroken);
  const scripts = /assets\/[^/]*\.js/;
  await page.route(scripts, (route) => route.fulfill({ status: 404, body: '' }));
  await page.reload();
  await page.getByRole('heading', { name: 'This page couldn’t be loaded' }).waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.unroute(scripts);
  await page.getByRole('button', { name: 'Reload' }).click();
  await shell(page).waitFor();
});
