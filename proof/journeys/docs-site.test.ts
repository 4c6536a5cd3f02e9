/**
 * The guides and the reference in a browser: one header and theme with the dashboard, copy buttons,
 * and the switch between the API and the admin API.
 * Thorough: opens the pages in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { waitUntil } from '../kit/wait-until.ts';

const fixture = await startDashboard({ environment: { VIDGEN_ROLE: 'api' } });
const { service } = fixture;
after(() => fixture.close());

const siteLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name, exact: true });
const pageHeading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const bodyColor = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

test('dashboard, guides and reference lead to each other and share the theme', async () => {
  const { id } = await service.account();
  const { page, pageErrors } = await fixture.member(id, 'developer');
  await siteLink(page, 'Guides').click();
  await pageHeading(page, 'Guides').waitFor();
  const light = await bodyColor(page);
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('button', { name: 'Dark' }).click();
  const dark = await bodyColor(page);
  assert.notEqual(dark, light);
  await siteLink(page, 'API reference').click();
  await pageHeading(page, 'API reference').waitFor();
  assert.equal(await bodyColor(page), dark);
  await page.locator('body.dark-mode').waitFor();
  await siteLink(page, 'Dashboard').click();
  await page.locator('main#page').waitFor();
  assert.equal(await bodyColor(page), dark);
  assert.deepEqual(pageErrors, []);
});

test('a guide has copy buttons and leads to the next guide', async () => {
  const { page, context, pageErrors } = await fixture.anonymous();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/guides/quick-start');
  await page.getByRole('button', { name: 'Copy first-video.ts' }).click();
  // Written some time after the click; an empty clipboard is read again.
  const copied = await waitUntil(
    async () => (await page.evaluate(() => navigator.clipboard.readText())) || null,
  );
  const markdown = await (await fetch(`${service.url}/guides/quick-start.md`)).text();
  assert(copied.includes('fetch(') && markdown.includes(copied));
  await page.locator('a[rel=next]').click();
  await pageHeading(page, 'Generation types').waitFor();
  await page.locator('a[rel=prev]').click();
  await pageHeading(page, 'Quick start').waitFor();
  assert.deepEqual(pageErrors, []);
});

test('the reference opens on the endpoints for customers, and switches', async () => {
  const { page, pageErrors } = await fixture.anonymous();
  await page.goto('/docs');
  await page.getByText('Create a video task').first().waitFor();
  assert.equal(await page.getByText('/admin/accounts').count(), 0);
  await page.getByRole('link', { name: 'Admin API' }).click();
  await page.getByText('/admin/accounts').first().waitFor();
  assert.equal(await page.getByText('/v1/videos/generations').count(), 0);
  assert.deepEqual(pageErrors, []);
});

test('the reference fits a phone, and offers the languages of the guides', async () => {
  const { page } = await fixture.anonymous({ width: 390 });
  await page.goto('/docs#tag/videos/POST/v1/videos/generations');
  const choice = page.getByRole('button', { name: 'Shell Curl' }).first();
  await choice.waitFor();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert(overflow <= 0, `${overflow} px`);
  assert.equal(await page.getByText('Client Libraries').isVisible(), false);
  assert.equal(await page.getByText('Apache-2.0').isVisible(), false);
  await choice.click();
  const options = page.getByRole('option');
  await options.first().waitFor();
  assert.deepEqual(await options.allInnerTexts(), ['Fetch', 'Requests', 'Curl']);
});

test('the colors of the reference are readable in both themes, code included', async () => {
  const { page } = await fixture.anonymous();
  await page.goto('/docs#tag/videos/POST/v1/videos/generations');
  const panel = page.locator('.request-card').first();
  await panel.waitFor();
  const panelScheme = () => panel.evaluate((element) => getComputedStyle(element).colorScheme);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`body.${colorScheme}-mode`).waitFor();
    assert.equal(await panelScheme(), colorScheme);
    assert.deepEqual(await axeProblems(page, 'colors'), [], colorScheme);
  }
});

test('guides are accessible in both themes, and fit a phone', async () => {
  const { page } = await fixture.anonymous({ width: 390 });
  for (const path of ['/verify', '/guides', '/guides/quick-start', '/guides/modes']) {
    await page.goto(path);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axeProblems(page), [], `${path} ${colorScheme}`);
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(overflow <= 0, path);
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await pageHeading(page, 'Webhooks').waitFor();
});
