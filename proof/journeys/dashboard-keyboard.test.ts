/**
 * The dashboard without a mouse in a real browser: sign in, navigate, open a task, create a key,
 * with a focused element that is always visible; and the palette, which offers nobody more than
 * they may do.
 * Thorough: a tour in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeProblems, password, startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('a person signs in, finds a task and creates a key by keyboard alone', async () => {
  const { id, client } = await fixture.service.account({ test: 1000, mode: 'test' });
  const prompts = ['A paper boat [test:fail]', 'A tin boat [test:fail]'];
  for (const prompt of prompts) {
    await client.create({
      model: 'vidgen-2-0-mini',
      input: { prompt, resolution: '480p', duration: 4 },
    });
  }
  const joined = await fixture.member(id, 'developer');
  const { email } = (await (await joined.page.request.get('/session')).json()).person;
  const { page } = await fixture.anonymous();

  // Signs in, and continues to the requested page.
  await page.goto(`/dashboard/accounts/${id}/tasks?mode=test`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await focused(page), 'Email');
  await page.keyboard.type(email);
  await tabTo(page, 'Password');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /A tin boat/ }).waitFor();

  // Skips the navigation, goes to the rows, down one, and opens the task.
  await page.reload();
  await page.getByRole('row', { name: /A tin boat/ }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to content');
  await page.keyboard.press('Enter');
  await tabTo(page, /A tin boat/);
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /A paper boat/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^A (tin|paper) boat/ }).waitFor();
  // The focused element is gone; the next Tab continues in the new page, below the banner of test
  // mode, and not at the top of the document.
  await tabTo(page, 'Copy task ID', { stopsMax: 1 });

  // Opens the keys through the navigation, and creates one.
  await page.getByRole('link', { name: 'API keys' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await tabTo(page, 'Create key');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create test key' });
  await dialog.locator(':focus').waitFor();
  assert.equal(await focused(page), 'Name');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a name').waitFor();
  assert.equal(await focused(page), 'Name', 'the first bad field has the focus');
  await page.keyboard.type('From the keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('Copy this key now').waitFor();
  await tabTo(page, 'I’ve saved it');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /From the keyboard/ }).waitFor();

  // Returns to the tasks through the navigation.
  await tabTo(page, 'Tasks');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /A tin boat/ }).waitFor();
  await page.keyboard.press('/');
  assert.equal(await focused(page), 'Search tasks');
});

const paletteOf = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' });

/** What looks selected, too. */
const selectedIn = (page: Page) =>
  paletteOf(page)
    .getByRole('option')
    .evaluateAll((options) => {
      const color = (option: Element) => getComputedStyle(option).backgroundColor;
      const [plain] = options.filter(({ ariaSelected }) => ariaSelected === 'false').map(color);
      return options
        .filter((one) => one.ariaSelected === 'true' || color(one) !== plain)
        .map(({ textContent }) => textContent);
    });

async function type(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  await paletteOf(page).waitFor();
  await page.keyboard.type(text);
}

test('runs actions and finds tasks by keyboard, and stays in its place', async () => {
  const { id, client } = await fixture.service.account({ live: 100, name: 'Harbor Films' });
  const input = { prompt: 'A heron takes off at dawn', resolution: '480p', duration: 4 };
  const { taskId } = (await client.create({ model: 'vidgen-2-0-mini', input })).body;
  const { page, open } = await fixture.administrator();
  await open(`/accounts/${id}?mode=live`);

  await type(page, '');
  await paletteOf(page)
    .getByRole('option', { name: /A heron/ })
    .waitFor();
  const place = await paletteOf(page).boundingBox();
  assert.deepEqual(await axeProblems(page), []);
  await paletteOf(page).getByRole('option', { name: 'Usage' }).hover();
  assert.deepEqual(await selectedIn(page), ['Usage']);
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await selectedIn(page), ['Webhooks'], 'the mouse no longer counts');
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
});

test('offers a viewer only what a viewer may do', async () => {
  const { id } = await fixture.service.account({ name: 'Harbor Films' });
  const { page, open } = await fixture.member(id, 'viewer');
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
});

/** Presses Tab until the control with this name has the focus. Every stop must be visible. */
async function tabTo(
  page: Page,
  name: string | RegExp,
  { stopsMax = 60 }: { readonly stopsMax?: number } = {},
): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < stopsMax; stop++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (typeof name === 'string' ? at === name : name.test(at)) return;
    passed.push(at);
  }
  assert.fail(`${name} is not reached: ${passed.join(', ')}`);
}

/** Returns the name of the focused element, and asserts that an outline shows it. */
async function focused(page: Page): Promise<string> {
  const { name, isShown } = await page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    const label = element.labels?.[0]?.textContent;
    const parent = element.parentElement;
    const near = [element, parent, parent?.parentElement, element.nextElementSibling];
    const isOutlined = (one: Element | null | undefined) => {
      if (!one) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
    };
    return {
      name: element.getAttribute('aria-label') ?? label ?? element.textContent?.trim() ?? '',
      isShown:
        element === document.body ||
        element.id === 'page' ||
        [...near, ...(element.labels ?? [])].some(isOutlined),
    };
  });
  assert(isShown, `the focus on “${name}” cannot be seen`);
  return name;
}
