/**
 * The dashboard without a mouse in a real browser: sign in, navigate, open a task, create a key.
 * The focused element is always visible.
 * Thorough: a tour in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { password, startDashboard } from '../kit/dashboard-fixture.ts';

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
  await joined.context.close();
  const { page, context, pageErrors } = await fixture.anonymous();

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
  assert.deepEqual(pageErrors, []);
  await context.close();
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
