/**
 * Thorough: an operator with 120 customers finds accounts, tasks, people and changes: search, sort,
 * filters, the back button, exports, the command palette, and the overview.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard, type Visitor } from '../kit/dashboard-fixture.ts';
import { type Customer, seedCustomers } from '../kit/seed-customers.ts';
import { waitUntil } from '../kit/wait-until.ts';

let fixture: Awaited<ReturnType<typeof startDashboard>>;
let customers: Customer[];
let operator: Visitor;
before(async () => {
  fixture = await startDashboard();
  customers = await seedCustomers(fixture.service.db);
  operator = await fixture.administrator();
});
after(() => fixture.close());

const rows = (page: Page) => page.locator('main [data-row]');
const search = (page: Page, label: string) => page.getByRole('searchbox', { name: label });

describe('accounts', () => {
  test('are found by name and by the email of a member, and the URL keeps the search', async () => {
    const { page, open } = operator;
    await open('/operator/accounts');
    await page.getByText('50 shown').waitFor();
    await search(page, 'Search accounts').fill('fjord lab');
    await page.getByText('1 in total').waitFor();
    assert.match(await rows(page).first().innerText(), /Fjord Labs/);
    await page.waitForURL(/q=fjord/);
    await page.reload();
    await page.getByText('1 in total').waitFor();
    await search(page, 'Search accounts').fill('dana@amber-pictures.example');
    await page.getByText('Amber Pictures').waitFor();
    await search(page, 'Search accounts').fill('no such customer');
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByText('50 shown').waitFor();
  });

  test('are sorted by the service, filtered, and the back button undoes a filter', async () => {
    const { page, open } = operator;
    await open('/operator/accounts');
    await page.getByRole('button', { name: 'Live available' }).click();
    await page.waitForURL(/sort=balance/);
    await page.getByRole('combobox', { name: 'Live balance' }).click();
    await page.getByRole('option', { name: 'No credits left' }).click();
    const empty = page.getByRole('list', { name: 'Filters' });
    await empty.getByText('No credits left').waitFor();
    // The rows of before stay until the filtered ones are there.
    await waitUntil(async () => /\b0\b/.test(await rows(page).first().innerText()));
    await page.goBack();
    await page.getByText('50 shown').waitFor();
    assert.match(page.url(), /sort=balance/);
    await page.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL(/sort=name/);
    await rows(page).first().getByText('Amber Agency').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('100 shown').waitFor();
  });

  test('are filtered by their state as the list shows it', async () => {
    const { page, open } = operator;
    const { id, name } = customers[5]!;
    await fixture.service.admin.post(`/admin/accounts/${id}/suspend`, { note: 'Unpaid' });
    await open('/operator/accounts');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Suspended' }).click();
    await page.getByText('1 in total').waitFor();
    assert.match(await rows(page).first().innerText(), new RegExp(`${name}\\s+Suspended`));
    await fixture.service.admin.post(`/admin/accounts/${id}/resume`, {});
  });

  test('are exported as they are filtered', async () => {
    const { page, open } = operator;
    await open('/operator/accounts?q=kite');
    await page.getByText('10 in total').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const started = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const file = await (await started).path();
    const lines = (await readFile(file, 'utf8')).trim().split('\r\n');
    assert.equal(lines.length, 11);
    assert(lines.slice(1).every((line) => line.includes('Kite ')));
  });

  test('are cards on a phone, which open', async () => {
    const { page, open } = await fixture.administrator({ width: 390 });
    await open('/operator/accounts?q=iris%20films');
    const card = rows(page).first();
    await card.getByText('Iris Films').waitFor();
    assert.equal(await card.evaluate((row) => getComputedStyle(row).display), 'flex');
    await card.click();
    await page.getByRole('heading', { level: 1, name: 'Iris Films' }).waitFor();
  });
});

test('tasks are found by words of the prompt, in one account', async () => {
  const { page, open } = operator;
  await open('/operator/tasks');
  await search(page, 'Search tasks').fill('cherry temple');
  await page.waitForURL(/q=cherry/);
  await rows(page).first().getByText('Cherry blossoms drift past a quiet temple').waitFor();
  const account = page.getByRole('combobox', { name: 'Account' });
  await account.click();
  await account.fill('juniper');
  await page
    .getByRole('option', { name: /^Juniper/ })
    .first()
    .click();
  const chips = page.getByRole('list', { name: 'Filters' });
  await chips.getByText(/^Juniper/).waitFor();
  await chips.getByRole('button', { name: 'Remove the filter Account' }).click();
  await chips.waitFor({ state: 'detached' });
});

for (const path of ['/operator/tasks', '/operator/audit-log']) {
  test(`the filters of ${path} are in one row, and the others behind a button`, async () => {
    const { page, open } = operator;
    await open(path);
    await rows(page).first().waitFor();
    const topOf = async (name: string) =>
      (await page.getByRole('button', { name, exact: true }).boundingBox())!.y;
    assert.equal(await topOf('More filters'), await topOf('Export'));
    assert.equal(await page.getByLabel('From date (UTC)').isVisible(), false);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('From date (UTC)').fill('2020-01-31');
    await page.getByRole('list', { name: 'Filters' }).getByText('2020-01-31').waitFor();
    await page.getByRole('button', { name: 'Fewer filters' }).click();
    await page.getByRole('button', { name: 'Remove the filter From' }).click();
    await page.getByRole('list', { name: 'Filters' }).waitFor({ state: 'detached' });
  });
}

test('the audit log is filtered by action, and says what was done', async () => {
  const { page, open } = operator;
  await fixture.service.admin.post(`/admin/accounts/${customers[0]!.id}/credits`, {
    ...{ amount: 5, mode: 'live', note: 'Thanks' },
  });
  await open('/operator/audit-log');
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: 'Granted credits' }).click();
  await page.waitForURL(/action=credits.grant/);
  await page.getByText('1 in total').waitFor();
  assert.match(await rows(page).first().innerText(), /Granted credits[\s\S]*Amber Studio/);
});

test('people are found by email', async () => {
  const { page, open } = operator;
  await open('/operator/people');
  await search(page, 'Search people').fill('hugo@');
  await page.getByText('12 in total').waitFor();
});

test('the command palette finds accounts, people and tasks with the keyboard', async () => {
  const { page, open } = operator;
  await open('/operator/accounts');
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByRole('textbox', { name: 'Search' });
  await field.fill('harbor');
  await page.getByText('A sailing boat leaves the harbor at sunrise').first().waitFor();
  await field.fill('harbor labs');
  await page.getByRole('button', { name: /Harbor Labs/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Harbor Labs' }).waitFor();
});

test('the overview shows credits and tasks of all accounts', async () => {
  const { page, open } = operator;
  await open('/operator/overview');
  await page.getByText('Credits sold').waitFor();
  await page.getByRole('img', { name: /^Tasks by day: / }).waitFor();
  await page.getByText('7 days', { exact: true }).click();
  await page.waitForURL(/days=/);
  assert.deepEqual(operator.pageErrors, []);
});
