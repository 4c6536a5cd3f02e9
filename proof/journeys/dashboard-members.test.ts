/**
 * Members of an account in a real browser: lists that stay still, URLs that restore a page, error
 * details, webhooks, spending caps, alerts, logins of the command line, and layout on a phone.
 * Thorough: a tour in a browser; the endpoints are tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPage, axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { textToVideo } from '../kit/journey.ts';
import { startReceiver } from '../kit/receiver.ts';
import { mailEnvironment, startSmtpReceiver } from '../kit/smtp-receiver.ts';
import { waitUntil } from '../kit/wait-until.ts';

const smtp = await startSmtpReceiver();
const fixture = await startDashboard({ environment: mailEnvironment(smtp) });
after(async () => {
  try {
    await fixture.close();
  } finally {
    await smtp.close();
  }
});
const { service } = fixture;

/** An account whose tasks fail at once, one for each duration. */
async function accountWithTasks(seconds: readonly number[], callbackUrl?: string) {
  const account = await service.account({ test: 1000, mode: 'test' });
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

test('new tasks wait behind a button', async () => {
  const { id, create } = await accountWithTasks([5, 12, 8]);
  const { page, open } = await fixture.member(id, 'viewer');
  await open(`/accounts/${id}/tasks?mode=test`);
  await page.locator('tr[data-row]').nth(2).waitFor();
  await create(9);
  const pill = page.getByRole('button', { name: '1 new task' });
  await pill.waitFor();
  assert.deepEqual(await promptsOf(page), boats(8, 12, 5));
  await pill.click();
  await page.getByRole('row', { name: /Boat 9/ }).waitFor();
  assert.deepEqual(await promptsOf(page), boats(9, 8, 12, 5));
});

test('a developer sets the endpoint, reads a webhook and deletes a task', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { id, tasks } = await accountWithTasks([5], receiver.url);
  await receiver.waitForWebhooks(1);
  const developer = await fixture.member(id, 'developer');
  const { page, open } = developer;
  await open(`/accounts/${id}/webhooks?mode=test`);
  await page.getByRole('button', { name: 'Set endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('ftp://example.com');
  await dialog.getByRole('button', { name: 'Save endpoint' }).click();
  await dialog.getByText(/must (start|use|be)/i).waitFor();
  await dialog.getByLabel('URL').fill('https://hooks.example.com/a-rather-long-path/of-a-receiver');
  await dialog.getByRole('button', { name: 'Save endpoint' }).click();
  await page.getByText('https://hooks.example.com/a-rather').first().waitFor();

  await page.getByRole('button', { name: 'Details' }).click();
  await page.waitForURL(/open=msg_/);
  await page.reload();
  await page.getByText('Payload').waitFor();
  await assertPage(developer);
  const viewer = await fixture.member(id, 'viewer', { width: 390 });
  await viewer.open(`/accounts/${id}/webhooks?mode=test`);
  await viewer.page.getByText('https://hooks.example.com/a-rather').first().waitFor();
  assert.equal(await viewer.page.getByRole('button', { name: /endpoint$/ }).count(), 0);
  await assertPage(viewer);
  await viewer.open(`/accounts/${id}/tasks/${tasks[0]}?mode=test`);
  assert(await viewer.page.getByRole('button', { name: 'Delete task' }).isDisabled());

  await page.getByRole('link', { name: boats(5)[0]! }).click();
  // Provider names and messages are for the operator only.
  await page.getByText('Attempt failed').waitFor();
  await page.getByText('Raw JSON').click();
  await page.getByText('"attempts"').first().waitFor();
  assert(!/test-preview|forced by/.test(await page.locator('main').innerText()));
  await page.getByRole('button', { name: 'Delete task' }).click();
  await dialog.getByRole('button', { name: 'Delete task' }).click();
  await page.getByText('No tasks yet').waitFor();
});

test('an error names what failed, where, and the request id', async () => {
  const { id } = await service.account({ test: 1000 });
  const { page, open } = await fixture.member(id, 'developer');
  const fail = (status: number, code: string, message: string) => ({
    status,
    headers: { 'x-request-id': 'req_broken' },
    json: { error: { code, message } },
  });
  const keys = `**/admin/accounts/${id}/keys`;
  await page.route(`${keys}?*`, (route) => route.fulfill(fail(500, 'internal_error', 'Sorry.')));
  await page.route(keys, (route) =>
    route.fulfill(fail(400, 'invalid_request', 'name must not be that')),
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
});

test('an owner caps a key, sets an alert, reads its notice and invites by email', async () => {
  const { id, client } = await service.account({ live: 1000, name: 'Lakeside Films' });
  const owner = await fixture.member(id, 'owner');
  const { page, open } = owner;
  const dialog = page.getByRole('dialog');
  await open(`/accounts/${id}/keys?mode=live`);
  await page.getByRole('button', { name: 'Set spending cap of Lakeside Films' }).click();
  await dialog.getByLabel('Spending cap').click();
  await page.getByRole('option', { name: 'Per day' }).click();
  await dialog.getByRole('button', { name: 'Save cap' }).click();
  await dialog.getByText('Enter the number of credits').waitFor();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('8');
  await dialog.getByRole('button', { name: 'Save cap' }).click();
  await page.getByText('0 of 8 per day').waitFor();
  assert.equal((await client.create(textToVideo)).status, 200);
  await page.reload();
  await page.getByText('5 of 8 per day').waitFor();
  await assertPage(owner);

  await open(`/accounts/${id}/credits?mode=live`);
  await page.getByRole('button', { name: 'Set alert' }).click();
  await page.getByLabel('Live credits', { exact: true }).fill('2000');
  await page.getByRole('button', { name: 'Save alert' }).click();
  await page.getByText('Below 2,000 live credits').waitFor();
  // Raised within half a minute; the bell looks every two minutes.
  const bell = page.getByRole('link', { name: /^Notices, 1 unread$/ });
  await waitUntil(async () => {
    await page.reload();
    return await bell.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  });
  await bell.click();
  await page.getByRole('heading', { name: 'Notices', level: 1 }).waitFor();
  await page.getByText('below the alert at 2,000 credits').waitFor();
  await assertPage(owner);
  await page.getByRole('button', { name: 'Dismiss: Low balance: Lakeside Films' }).click();
  await page.getByRole('heading', { name: 'No notices' }).waitFor();

  await open(`/accounts/${id}/members?mode=live`);
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Email').fill('vera@example.org');
  await page.getByRole('button', { name: 'Send invite' }).click();
  await page.getByText('We’re emailing this link.').waitFor();

  const guest = await fixture.anonymous();
  await guest.open('/forgot');
  await guest.page.getByLabel('Email').fill('vera@example.org');
  await guest.page.getByRole('button', { name: 'Send reset link' }).click();
  await guest.page.getByRole('heading', { name: 'Check your email' }).waitFor();
});

test('a developer confirms a login of the command line after seeing who asks', async () => {
  const { id } = await service.account({ test: 100, name: 'Paper Boat' });
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(`${service.url}${path}`, init)).json()) as Record<string, string>;
  };
  const login = await post('/logins', { machine: '<i>ada-laptop</i>' });
  const developer = await fixture.member(id, 'developer', { width: 390 });
  const { page } = developer;
  await page.goto(login.url!);
  await page.getByText(login.code!, { exact: true }).waitFor();
  await page.getByText('<i>ada-laptop</i>').waitFor();
  await page.getByText('If someone sent you this link or code, close this page').waitFor();
  await assertPage(developer);
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByText('return to your terminal').waitFor();
  const collected = await post('/logins/collect', { device_code: login.device_code });
  assert.deepEqual([collected.mode, collected.account_name], ['test', 'Paper Boat']);
  await page.goto('/dashboard/login');
  await page.getByLabel('Code').fill(login.code!.toLowerCase());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Couldn’t find this login').waitFor();

  const viewer = await fixture.member(id, 'viewer');
  await viewer.page.goto((await post('/logins', { machine: 'laptop' })).url!);
  await viewer.page.getByText('You don’t have permission to create keys').waitFor();
});

test('a task shows its metadata as text and the fields that were ignored', async () => {
  const { id, client } = await service.account({ test: 100, mode: 'test' });
  const input = { prompt: 'A boat [test:fail]', image_urls: ['https://example.com/boat.jpg'] };
  const metadata = { order: '<b>42</b>', ['k'.repeat(64)]: 'v'.repeat(300) };
  const { body } = await client.create({ model: 'vidgen-2-5', input, metadata });
  const visitor = await fixture.member(id, 'developer', { width: 390 });
  const { page, open } = visitor;
  const expected = 'input.image_urls has no effect when generation_type is text-to-video';
  await open(`/accounts/${id}/tasks/${body.taskId}?mode=test`);
  await page.getByText('<b>42</b>').waitFor();
  await page.getByText(expected).waitFor();
  await assertPage(visitor);
  await open(`/accounts/${id}/playground?mode=test&task=${body.taskId}`);
  await page.getByText(expected).waitFor();
});
