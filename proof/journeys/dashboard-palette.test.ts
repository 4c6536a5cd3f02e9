/**
 * The palette in a real browser: opened, searched and left by keyboard, in one place; its actions
 * open their dialogs; and a customer finds and is offered nothing of the installation.
 * Thorough: pages in a browser; search and rights are tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' });

async function type(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  await paletteOf(page).waitFor();
  await page.keyboard.type(text);
}

test('runs actions and finds tasks by keyboard, and stays in its place', async () => {
  const { id, client } = await fixture.service.account({ live: 100, name: 'Harbor Films' });
  const input = { prompt: 'A heron takes off at dawn', resolution: '480p', duration: 4 };
  const { taskId } = (await client.create({ model: 'vidgen-2-0-mini', input })).body;
  const { page, open, pageErrors, context } = await fixture.administrator();
  await open(`/accounts/${id}?mode=live`);

  await type(page, '');
  await paletteOf(page)
    .getByRole('option', { name: /A heron/ })
    .waitFor();
  const place = await paletteOf(page).boundingBox();
  assert.deepEqual(await axeProblems(page), []);
  await page.keyboard.type('harbor fi');
  await paletteOf(page).getByRole('option', { name: 'Harbor Films' }).waitFor();
  assert.deepEqual(await paletteOf(page).boundingBox(), place);
  await page.keyboard.press('Escape');
  await paletteOf(page).waitFor({ state: 'detached' });

  await type(page, 'create key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create live key' }).getByLabel('Name').waitFor();
  await page.keyboard.press('Escape');
  await type(page, 'add credits');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Adjust credits' }).waitFor();
  await page.keyboard.press('Escape');

  await type(page, 'heron dawn');
  await paletteOf(page)
    .getByRole('option', { name: /A heron/ })
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(String(taskId)));
  await type(page, 'dark');
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test('offers a viewer only what a viewer may do', async () => {
  const { id } = await fixture.service.account({ name: 'Harbor Films' });
  const { page, open, pageErrors, context } = await fixture.member(id, 'viewer');
  await open(`/accounts/${id}?mode=live`);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await type(page, '');
  const options = await paletteOf(page).getByRole('option').allInnerTexts();
  assert(!options.some((text) => /create|invite|connect|add credits|admin/i.test(text)));
  const search = page.waitForResponse((response) => response.url().includes('q=harbor'));
  await page.keyboard.type('harbor');
  await search;
  assert(!asked.some((path) => /\/admin\/(accounts|people|tasks)$/.test(path)), asked.join());
  assert.deepEqual(pageErrors, []);
  await context.close();
});
