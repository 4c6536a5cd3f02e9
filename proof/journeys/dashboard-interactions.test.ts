/**
 * How the dashboard behaves in a real browser: sorting, URLs that restore a page, ETA, error
 * details, dialogs and layout.
 * Thorough: two minutes in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AdminTaskDetail } from '@vidgen/contract/admin-tasks.ts';
import type { PlaygroundEstimate } from '@vidgen/contract/playground.ts';
import type { Page } from 'playwright-core';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { startReceiver } from '../kit/receiver.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

/** An account whose tasks fail at once, one for each duration. */
async function accountWithTasks(seconds: readonly number[], callbackUrl?: string) {
  const account = await fixture.service.account({ test: 1000, mode: 'test' });
  const create = async (duration: number) => {
    const { body } = await account.client.create({
      model: 'vidgen-2-0-mini',
      input: { prompt: `Boat ${duration} [test:fail]`, resolution: '480p', duration },
      ...(callbackUrl ? { callback_url: callbackUrl } : {}),
    });
    return body.taskId as string;
  };
  const tasks: string[] = [];
  for (const duration of seconds) tasks.push(await create(duration));
  for (const task of tasks) await account.client.final(task);
  return { ...account, tasks, create };
}

const promptsOf = (page: Page): Promise<string[]> =>
  page.locator('tr[data-row] td:nth-child(2)').allTextContents();
const boats = (...seconds: number[]): string[] => seconds.map((one) => `Boat ${one} [test:fail]`);

test('a table can be sorted from the keyboard, and the URL keeps the order', async () => {
  const { id } = await accountWithTasks([5, 12, 8]);
  const { page, open, pageErrors, context } = await fixture.member(id, 'viewer');
  await open(`/accounts/${id}/tasks?mode=test`);
  const head = page.getByRole('columnheader', { name: 'Credits' });
  const lastRow = page.locator('tr[data-row]').nth(2);
  await head.getByRole('button').focus();
  await lastRow.waitFor();
  assert.deepEqual(await promptsOf(page), boats(8, 12, 5));
  for (const [direction, order] of [
    ['ascending', boats(5, 8, 12)],
    ['descending', boats(12, 8, 5)],
    ['none', boats(8, 12, 5)],
    ['ascending', boats(5, 8, 12)],
  ] as const) {
    await page.keyboard.press('Enter');
    await page.locator(`th[aria-sort="${direction}"][data-accessor="credits"]`).waitFor();
    assert.deepEqual(await promptsOf(page), order, direction);
  }
  assert.match(page.url(), /sort=credits/);
  await page.reload();
  await lastRow.waitFor();
  assert.deepEqual(await promptsOf(page), boats(5, 8, 12));
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test('new tasks wait behind a button, and no row moves before it is clicked', async () => {
  const { id, create } = await accountWithTasks([5]);
  const { page, open, context } = await fixture.member(id, 'viewer');
  await open(`/accounts/${id}/tasks?mode=test`);
  await page.getByRole('row', { name: /Boat 5/ }).waitFor();
  await create(9);
  const pill = page.getByRole('button', { name: '1 new task' });
  await pill.waitFor();
  assert.deepEqual(await promptsOf(page), boats(5));
  await pill.click();
  await page.getByRole('row', { name: /Boat 9/ }).waitFor();
  assert.deepEqual(await promptsOf(page), boats(9, 5));
  assert.match(await page.locator('tr[data-row] time').first().innerText(), /just now|seconds ago/);
  await context.close();
});

test('the palette opens a page by name, and a task by its pasted id', async () => {
  const { id, tasks } = await accountWithTasks([5]);
  const { page, open, context } = await fixture.member(id, 'viewer');
  await open(`/accounts/${id}/credits?mode=live`);
  await page.keyboard.press('Control+k');
  const field = page.getByPlaceholder('Search pages, actions');
  await field.fill('invite');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await field.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+k');
  await field.waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await field.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', text);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, `  ${tasks[0]}\n`);
  await page.waitForURL(`**/accounts/${id}/tasks/${tasks[0]}?mode=test`);
  await context.close();
});

test('the URL keeps an open delivery, and a replay is confirmed', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { id } = await accountWithTasks([5], receiver.url);
  await receiver.waitForWebhooks(1);
  const { page, open, pageErrors, context } = await fixture.member(id, 'developer');
  await open(`/accounts/${id}/webhooks?mode=test`);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.waitForURL(/open=msg_/);
  await page.reload();
  await page.locator('[aria-expanded="true"]').waitFor();
  await page.getByText('Payload').waitFor();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByRole('button', { name: 'Dismiss' }).waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole('link', { name: boats(5)[0]! }).click();
  // Provider names and messages are for the operator only.
  await page.getByText('Attempt failed').waitFor();
  await page.getByText('Raw JSON').click();
  await page.getByText('"attempts"').first().waitFor();
  assert(!/test-preview|forced by/.test(await page.locator('main').innerText()));
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test('a developer deletes a task, an administrator sets a retention and erases', async () => {
  const { id, tasks } = await accountWithTasks([5, 12]);
  const path = `/accounts/${id}/tasks/${tasks[0]}?mode=test`;
  const viewer = await fixture.member(id, 'viewer');
  await viewer.open(path);
  assert(await viewer.page.getByRole('button', { name: 'Delete task' }).isDisabled());
  await viewer.context.close();
  const developer = await fixture.member(id, 'developer');
  await developer.open(path);
  await developer.page.getByRole('button', { name: 'Delete task' }).click();
  const confirm = developer.page.getByRole('dialog').getByRole('button', { name: 'Delete task' });
  await confirm.click();
  await developer.page.getByText('Task deleted').waitFor();
  await developer.page.getByRole('row', { name: /Boat 12/ }).waitFor();
  assert.deepEqual(await promptsOf(developer.page), boats(12));
  assert.deepEqual(developer.pageErrors, []);
  await developer.context.close();

  const { page, open, pageErrors, context } = await fixture.administrator();
  await open(`/operator/accounts/${id}`);
  await page.getByLabel('Prompts and inputs').fill('30');
  await page.getByRole('button', { name: 'Save retention' }).click();
  await page.getByRole('button', { name: 'Change retention' }).click();
  await page.getByText('Retention updated').waitFor();
  await page.getByRole('button', { name: 'Erase account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Journey');
  await dialog.getByRole('button', { name: 'Erase account' }).click();
  await page.getByRole('heading', { name: 'Erased account' }).waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test('the page of a running task estimates the remaining time from similar tasks', async () => {
  const { id, tasks } = await accountWithTasks([5]);
  const { page, open, context } = await fixture.member(id, 'viewer');
  await page.route(`**/admin/tasks/${tasks[0]}`, async (route) => {
    const response = await route.fetch();
    const task = (await response.json()) as AdminTaskDetail;
    const running = { status: 'generating', finished_at: null, failed_reason: null, failure: null };
    const created_at = Math.floor(Date.now() / 1000);
    await route.fulfill({ response: response, json: { ...task, ...running, created_at } });
  });
  await page.route('**/generations/estimate?*', async (route) => {
    const response = await route.fetch();
    const estimate = (await response.json()) as PlaygroundEstimate;
    const time = { p50_seconds: 60, p95_seconds: 90, tasks: 20 };
    await route.fulfill({ response: response, json: { ...estimate, time } });
  });
  await open(`/accounts/${id}/tasks/${tasks[0]}?mode=test`);
  await page.getByText(/^About (5\d|60) s left$/).waitFor();
  assert.equal(await page.getByRole('progressbar', { name: 'Generation progress' }).count(), 1);
  await context.close();
});

test('an error names what failed, where, and the request id', async () => {
  const { id } = await fixture.service.account({ test: 1000 });
  const { page, open, context } = await fixture.member(id, 'developer');
  await page.route(`**/admin/accounts/${id}/keys?*`, (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'req_broken' },
      json: { error: { code: 'internal_error', message: 'Something went wrong on our side.' } },
    }),
  );
  await page.route(`**/admin/accounts/${id}/keys`, (route) =>
    route.fulfill({
      status: 400,
      json: { error: { code: 'invalid_request', message: 'name must not be that' } },
    }),
  );
  await open(`/accounts/${id}/keys?mode=test`);
  const notice = page.getByRole('alert');
  await notice.getByText('API keys couldn’t be loaded').waitFor();
  await notice.getByText('req_broken').waitFor();
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Must not be that').waitFor();
  assert(await name.evaluate((element) => element === document.activeElement));
  assert.deepEqual(await axeProblems(page), []);
  await context.close();
});

test('on a phone the balance is visible, nothing is too wide, and nothing shifts', async () => {
  const { id, tasks } = await accountWithTasks([5, 8]);
  const { page, open, pageErrors, context } = await fixture.member(id, 'owner', { width: 375 });
  await context.addInitScript(() => {
    const seen = globalThis as unknown as { shifts: number };
    seen.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as unknown as Record<string, number>;
        if (!hadRecentInput) seen.shifts += value ?? 0;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const account = `/accounts/${id}`;
  const pages = ['', '/tasks', `/tasks/${tasks[0]}`, '/keys', '/credits', '/members', '/webhooks'];
  for (const path of pages) {
    await open(`${account}${path}?mode=test`);
    await page.waitForLoadState('networkidle');
    await page.getByRole('banner').getByText('test credits').waitFor();
    const { width, shifts } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      shifts: (globalThis as unknown as { shifts: number }).shifts,
    }));
    assert.equal(width, 375, path);
    // The threshold of Web Vitals for a poor layout shift.
    assert(shifts < 0.25, `${path} jumps by ${shifts}`);
  }
  assert.deepEqual(pageErrors, []);
  await context.close();
});
