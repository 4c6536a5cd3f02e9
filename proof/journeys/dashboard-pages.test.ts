/**
 * Every page of the dashboard in a real browser: no errors, no accessibility violations in either
 * theme, nothing wider than a phone, and no markup from prompts.
 * Thorough: a sweep over all pages, twice.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { axeProblems, changeTheme, startDashboard } from '../kit/dashboard-fixture.ts';
import { dashboardPages, seedStudio } from '../kit/dashboard-seed.ts';

// One second of video is enough to show the player.
const renderer = fileURLToPath(new URL('../kit/one-second-renderer.ts', import.meta.url));
/** Lets the retries of a failing webhook end while the test runs. */
const environment = { VIDGEN_WEBHOOK_RETRIES: '1s,1s,1s,1s,1s' };
/** Must be shown as text on every page. */
const hostilePrompt =
  '<img src=x onerror="document.title=\'taken over\'"><b>A storm</b> over the sea & {{cliffs}}';
const fixture = await startDashboard({ environment, renderer });
const studio = await seedStudio(fixture.service);
const failures = await seedFailures();
after(async () => {
  await studio?.close();
  await fixture?.close();
});

test('every page is accessible in both themes, and no wider than a phone', async () => {
  const { page, open } = await fixture.administrator();
  const failed = `/accounts/${studio.account}/tasks/${failures.failed}?mode=test`;
  const pages = { ...dashboardPages(studio), 'task-failed': failed };
  for (const [name, path] of Object.entries(pages)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(path);
    await page.waitForLoadState('networkidle');
    for (const colorScheme of ['light', 'dark'] as const) {
      await changeTheme(page, colorScheme);
      const what = colorScheme === 'light' ? 'all' : 'colors';
      assert.deepEqual(await axeProblems(page, what), [], `${name}, ${colorScheme}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(width <= 390, `${name} is ${width} px wide`);
  }
});

test('a prompt with markup is text on every page that shows it', async () => {
  const { page, open } = await fixture.administrator();
  const { account } = studio;
  const { hostile } = failures;
  const pages = [
    `/accounts/${account}?mode=live`,
    `/accounts/${account}/tasks?mode=live`,
    `/accounts/${account}/tasks/${hostile}?mode=live`,
    `/accounts/${account}/tasks/${hostile}?mode=live&part=request`,
    `/accounts/${account}/tasks/${hostile}?mode=live&part=json`,
    `/accounts/${account}/playground?mode=live&task=${hostile}`,
    '/operator/tasks',
  ];
  for (const path of pages) {
    await open(path);
    await page.waitForFunction(isShown, hostilePrompt.slice(0, 10));
    const shown = await page.evaluate(() => ({
      title: document.title,
      planted: document.querySelectorAll('img[src="x"]').length,
    }));
    assert.notEqual(shown.title, 'taken over', path);
    assert.equal(shown.planted, 0, path);
  }
});

/** Runs in the page: the text is on it, or in a field. */
function isShown(text: string): boolean {
  const fields = [...document.querySelectorAll('textarea')].map(({ value }) => value);
  return [document.body.innerText, ...fields].some((one) => one.includes(text));
}

/** Failed, rejected and cancelled tasks, a webhook that is not delivered, a refund that waits. */
async function seedFailures() {
  const { admin } = fixture.service;
  const { client, testClient, receiver, createTask } = studio;
  receiver.onWebhook(({ path }, response) =>
    path.endsWith('/failing')
      ? response.writeHead(500).end('{"sorry": true}')
      : response.writeHead(200).end(),
  );
  const hostile = await createTask(client, { input: { prompt: hostilePrompt } });
  const failed = await createTask(testClient, {
    input: { prompt: 'A quiet street [test:fail]' },
    callbackUrl: `${receiver.url}/failing`,
  });
  await createTask(testClient, { input: { prompt: 'Something forbidden [test:reject]' } });
  const slow = await createTask(testClient, { input: { prompt: 'A glacier [test:slow]' } });
  await admin.post(`/admin/tasks/${slow}/cancel`);
  await client.final(hostile);
  await testClient.final(failed);
  await seedFailedRefund();
  const codes = { amount: 500, mode: 'live', count: 3, note: 'Workshop in May' };
  await admin.post('/admin/redemption-codes', codes);
  return { failed, hostile };
}

/** A task of an account that is closed before the task ends cannot be refunded. */
async function seedFailedRefund(): Promise<void> {
  const { account, admin } = fixture.service;
  const { id, client } = await account({ test: 100, mode: 'test', name: 'Former customer' });
  const { body } = await client.create({
    model: 'vidgen-2-0-mini',
    input: { prompt: 'A long walk [test:slow]', resolution: '480p', duration: 4 },
  });
  await admin.post(`/admin/accounts/${id}/close`);
  const { body: task } = await admin.post(`/admin/tasks/${body.taskId as string}/cancel`);
  assert.equal((task as AdminTask).billing_status, 'refund_failed');
}
