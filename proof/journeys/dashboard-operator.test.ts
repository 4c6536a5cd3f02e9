/**
 * An administrator in a real browser: finds accounts, tasks, people and changes among many, and
 * manages an account, a GPU box and the notices of the installation.
 * Thorough: a tour in a browser; the endpoints are tested in every run.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Tunnel } from '../../cli/tunnel.mjs';
import { axeProblems, startDashboard, type Visitor } from '../kit/dashboard-fixture.ts';
import { mailEnvironment, startSmtpReceiver } from '../kit/smtp-receiver.ts';
import { waitUntil } from '../kit/wait-until.ts';

const smtp = await startSmtpReceiver();
const fixture = await startDashboard({ environment: mailEnvironment(smtp) });
const { service } = fixture;
let operator: Visitor;
let lab: Awaited<ReturnType<typeof service.account>>;
before(async () => {
  for (let number = 1; number <= 52; number++) {
    await service.admin.post('/admin/accounts', { name: `Kite ${number}` });
  }
  lab = await service.account({ live: 1000, test: 1000, mode: 'test', name: 'Fjord Labs' });
  const input = { prompt: 'Cherry blossoms at a quiet temple [test:fail]', duration: 4 };
  await lab.client.create({ model: 'vidgen-2-0-mini', input });
  await fixture.member(lab.id, 'owner', { email: 'dana@fjord.example' });
  operator = await fixture.administrator({ email: 'sam@example.org' });
  // The filter of balances reads copies that are seconds old.
  await waitUntil(async () => {
    const { body } = await service.admin.get('/admin/accounts?q=fjord&balance_max=0');
    return (body.items as unknown[]).length === 0;
  });
});
after(async () => {
  try {
    await fixture.close();
  } finally {
    await smtp.close();
  }
});

const rows = (page: Page) => page.locator('main [data-row]');
const search = (page: Page, label: string) => page.getByRole('searchbox', { name: label });
const chosen = (page: Page, filter: string) =>
  page.getByRole('combobox', { name: filter, exact: true }).inputValue();
const choose = async (page: Page, filter: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: filter, exact: true }).click();
  await page.getByRole('option', { name: option }).click();
};

test('accounts are searched, sorted and filtered, and the URL keeps it', async () => {
  const { page, open } = operator;
  await open('/operator/accounts');
  await page.getByText('50 of 53 shown').waitFor();
  await page.keyboard.press('ArrowDown');
  assert(
    await rows(page)
      .first()
      .evaluate((row) => row === document.activeElement),
  );
  await search(page, 'Search accounts').fill('dana@fjord.example');
  await page.getByText('1 in total').waitFor();
  await page.waitForURL(/q=dana/);
  await page.reload();
  await rows(page).getByText('Fjord Labs').waitFor();
  await search(page, 'Search accounts').fill('no such customer');
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByText('50 of 53 shown').waitFor();

  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL(/sort=name/);
  await rows(page).first().getByText('Fjord Labs').waitFor();
  await choose(page, 'Live balance', 'No credits left');
  await page.waitForURL(/balance_max=/);
  assert.equal(await chosen(page, 'Live balance'), 'No credits left');
  // The rows of before stay until the filtered ones are there.
  await waitUntil(async () => /Kite/.test(await rows(page).first().innerText()));
  await page.goBack();
  await rows(page).first().getByText('Fjord Labs').waitFor();
  assert.match(page.url(), /sort=name/);
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('53 in total').waitFor();
});

test('an export has the rows of the filter, and a phone shows cards that open', async () => {
  const { page, open } = operator;
  await open('/operator/accounts?q=kite%201');
  await page.getByText('11 in total').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const started = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  const lines = (await readFile(await (await started).path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines.length, 12);

  const phone = await fixture.administrator({ width: 390 });
  await phone.open('/operator/accounts');
  assert(await phone.page.locator('thead').isHidden(), 'cards have no column heads');
  await phone.page.getByRole('combobox', { name: 'Sort by' }).click();
  await phone.page.getByRole('option', { name: 'Name ↑' }).click();
  await phone.page.waitForURL(/sort=name/);
  await phone.open('/operator/accounts?q=fjord');
  const card = rows(phone.page).first();
  await card.getByText('Fjord Labs').waitFor();
  assert.equal(await card.evaluate((row) => getComputedStyle(row).display), 'flex');
  await card.click();
  await phone.page.getByRole('heading', { level: 1, name: 'Fjord Labs' }).waitFor();
});

test('tasks, changes and people are found, and rare filters wait behind a button', async () => {
  const { page, open } = operator;
  await open('/operator/tasks');
  await search(page, 'Search tasks').fill('cherry temple');
  await rows(page).first().getByText('Cherry blossoms').waitFor();
  const account = page.getByRole('combobox', { name: 'Account' });
  await account.click();
  await account.fill('fjord');
  await page.getByRole('option', { name: 'Fjord Labs' }).click();
  await page.waitForURL(/account_id=/);
  assert.equal(await chosen(page, 'Account'), 'Fjord Labs');
  assert.equal(await page.getByLabel('From date (UTC)').isVisible(), false);
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('From date (UTC)').fill('2020-01-31');
  await page.waitForURL(/from=2020-01-31/);
  await choose(page, 'Mode', 'Live');
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });

  await open('/operator/audit-log');
  await choose(page, 'Action', 'Created API key');
  await page.waitForURL(/action=key.create/);
  await rows(page).first().getByText('Fjord Labs').waitFor();
  await open('/operator/people');
  await search(page, 'Search people').fill('dana@');
  await page.getByText('1 in total').waitFor();
  await open('/operator/overview');
  await page.getByText('7 days', { exact: true }).click();
  await page.waitForURL(/days=/);
});

test('a long table renders the rows in view, and its last row after scrolling', async () => {
  await service.db.query(
    `insert into audit_log (actor, action, subject, detail)
     select 'many', 'model.change', 'kite-' || n, '{}' from generate_series(1, 300) n`,
  );
  for (const { page, open } of [operator, await fixture.administrator({ width: 390 })]) {
    await open('/operator/audit-log?actor=many&pages=6');
    await page.getByText('300 in total').waitFor();
    const rendered = await rows(page).count();
    assert(rendered > 50 && rendered < 200, `${rendered} rows`);
    const table = page.getByRole('table', { name: 'Audit log' });
    assert.equal(await table.getAttribute('aria-rowcount'), '301');
    await page.getByText('kite-300', { exact: true }).waitFor();
    for (const [part, row] of [
      [2, 'kite-150'],
      [1, 'kite-1'],
    ] as const) {
      await table.evaluate((element, share) => {
        let box = element as Element;
        while (box.scrollHeight === box.clientHeight) box = box.parentElement!;
        box.scrollTop = box.scrollHeight / share;
      }, part);
      await page.getByText(row, { exact: true }).waitFor();
    }
  }
});

test('an account is renamed, adjusted, limited, suspended, resumed and erased', async () => {
  const { page, open } = operator;
  const { id, client } = await service.account({ live: 1000, name: 'Lakeside Films' });
  await open(`/operator/accounts/${id}`);
  const dialog = page.getByRole('dialog');
  const act = async (item: string) => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const settings = () => page.getByRole('link', { name: 'Settings' }).click();
  await settings();
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByLabel('Name').fill('Harbor Films');
  await dialog.getByRole('button', { name: 'Rename account' }).click();
  await page.getByText('Harbor Films').first().waitFor();
  assert.equal(await page.getByRole('radiogroup', { name: 'Mode' }).count(), 0);
  await open(`/operator/accounts/${id}`);

  await act('Adjust credits');
  await dialog.getByText('Remove credits', { exact: true }).first().click();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('5000');
  await dialog.getByLabel('Reason').fill('Invoice was for 600');
  await dialog.getByRole('button', { name: 'Remove credits' }).click();
  await dialog.getByText('Only 1,000 live credits are available').waitFor();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('400');
  await dialog.getByText('1,000 → 600').waitFor();
  await dialog.getByRole('button', { name: 'Remove credits' }).click();
  await page.getByText('Removed 400 live credits').waitFor();

  await act('Edit limits');
  await dialog.getByLabel('Running tasks').fill('1');
  await dialog.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('0 of 1', { exact: true }).first().waitFor();

  await act('Suspend');
  await dialog.getByLabel('Reason').fill('Invoice 2051 is overdue');
  await dialog.getByRole('button', { name: 'Suspend account' }).click();
  await page.getByRole('heading', { level: 1, name: /Harbor Films.*Suspended/ }).waitFor();
  assert.equal((await client.get('/v1/credits')).status, 401);
  assert.deepEqual(await axeProblems(page), []);
  const member = await fixture.member(id, 'owner');
  await member.open(`/accounts/${id}/keys?mode=live`);
  await member.page.getByText('This account is suspended').waitFor();
  assert(await member.page.getByRole('button', { name: 'Create key' }).first().isDisabled());
  assert.equal(await member.page.getByText('Invoice 2051').count(), 0);
  await page.getByRole('button', { name: 'Resume account' }).click();
  await dialog.getByRole('button', { name: 'Resume account' }).click();
  await page.getByRole('heading', { level: 1, name: /Harbor Films.*Active/ }).waitFor();

  await settings();
  await page.getByLabel('Prompts and inputs').fill('30');
  await page.getByRole('button', { name: 'Save retention' }).click();
  await page.getByRole('button', { name: 'Change retention' }).click();
  await page.getByText('Retention updated').waitFor();
  await open(`/operator/accounts/${id}`);
  await act('Erase account');
  await dialog.getByRole('textbox').fill('Harbor Films');
  await dialog.getByRole('button', { name: 'Erase account' }).click();
  await page.getByRole('heading', { name: 'Erased account' }).waitFor();
});

test('the administration is a place of its own, for administrators only', async () => {
  const { page, open } = operator;
  await open(`/accounts/${lab.id}?mode=live`);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Administration' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const places = await navigation.getByRole('link').allInnerTexts();
  assert.deepEqual(
    places.map((text) => text.split('\n')[0]),
    [...['Overview', 'Accounts', 'Tasks', 'Providers and models', 'Money', 'People', 'System']],
  );
  assert.equal(await page.getByRole('banner').getByText('live credits').count(), 0);
  await navigation.getByRole('link', { name: 'Money' }).click();
  const tabs = page.getByRole('navigation', { name: 'Money' });
  await tabs.getByRole('link', { name: 'Redemption codes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Redemption codes' }).waitFor();
  assert.equal(await navigation.locator('[aria-current="page"]').innerText(), 'Money');
  const viewer = await fixture.member(lab.id, 'viewer');
  await viewer.open('/operator/codes');
  await viewer.page.getByRole('heading', { name: 'For administrators only' }).waitFor();
  // The account that was open last is gone.
  await open(`/accounts/${randomUUID()}?mode=live`);
  await page.getByRole('link', { name: 'Go home' }).click();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
});

test('an administrator tests mail and sets the webhook for notices', async () => {
  const { page, open } = operator;
  await open('/operator/notices');
  await page.getByRole('button', { name: 'Send test email' }).click();
  const [mail] = await smtp.waitForMails('sam@example.org');
  assert.equal(mail!.subject, 'Your mail settings work');
  await page.getByRole('button', { name: 'Set webhook' }).click();
  await page.getByLabel('Webhook URL').fill('ftp://example.com');
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText(/^Must be an http/).waitFor();
  await page.getByLabel('Webhook URL').fill('https://example.com/notices');
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('https://example.com/notices').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(await axeProblems(page), []);
});

test('creates a box, connects it with the command, drains and revokes it', async () => {
  const { page, open } = operator;
  await open('/operator/boxes');
  await page.getByText('No GPU boxes yet').waitFor();
  await page.getByRole('button', { name: 'New box' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Den 5080');
  await dialog.getByRole('button', { name: 'Create box' }).click();
  await dialog.getByText('Use lower-case letters').waitFor();
  await dialog.getByLabel('Name').fill('den-5080');
  await dialog.getByLabel('Label').fill('gpus');
  await dialog.getByRole('button', { name: 'Create box' }).click();
  const command = (await dialog.locator('pre').textContent())!;
  assert.match(
    command,
    /worker --name den-5080 \\\n {2}--engine http:\/\/127\.0\.0\.1:8188 --kind comfyui$/,
  );
  assert.ok(command.startsWith(`curl -fsSO ${service.url}/vidgen.mjs\n`));
  assert.deepEqual(await axeProblems(page), []);
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click();

  const card = page.getByRole('article', { name: 'den-5080' });
  await card.getByText('Never connected').waitFor();
  const tunnel = new Tunnel({
    name: 'den-5080',
    kind: 'comfyui',
    slots: 1,
    urls: [service.url],
    token: /vgbox_[\w-]{43}/.exec(command)![0],
    engine: new URL('http://127.0.0.1:9'),
  });
  await card.getByText('Connected', { exact: true }).waitFor();
  await card.getByText('tunnel://den-5080 or tunnel://@gpus').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  const act = async (item: string, button: string) => {
    await card.getByRole('button', { name: 'Actions for den-5080' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await dialog.getByRole('button', { name: button }).click();
  };
  await act('Drain', 'Drain box');
  await card.getByText('Draining').waitFor();
  await act('Revoke', 'Revoke box');
  await page.getByText('No GPU boxes yet').waitFor();
  const { message } = await tunnel.failed;
  assert.match(message, /unknown or revoked/);
});
