/**
 * One account in the dashboard in a real browser: rename, credits, limits, suspension, key caps.
 * Thorough: a tour in a browser; `api/accounts/suspend-account.test.ts` and
 * `api/accounts/accounts.test.ts` are in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, changeTheme, startDashboard } from '../kit/dashboard-fixture.ts';
import { textToVideo } from '../kit/journey.ts';

const fixture = await startDashboard({ environment: { VIDGEN_ROLE: 'api' } });
after(() => fixture?.close());

test('an administrator renames, adjusts, limits, suspends and resumes an account', async () => {
  const { id, client } = await fixture.service.account({ live: 1000, name: 'Lakeside Films' });
  const { page, open, pageErrors, context } = await fixture.administrator();
  await open(`/operator/accounts/${id}`);
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const dialog = page.getByRole('dialog');

  await choose('Rename');
  await dialog.getByLabel('Name').fill('Harbor Films');
  await dialog.getByRole('button', { name: 'Rename account' }).click();
  await page.getByRole('heading', { level: 1, name: /Harbor Films.*Active/ }).waitFor();

  await choose('Adjust credits');
  await dialog.getByText('Remove credits', { exact: true }).first().click();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('5000');
  await dialog.getByLabel('Reason').fill('Invoice was for 600');
  await dialog.getByRole('button', { name: 'Remove credits' }).click();
  await dialog.getByText('Only 1,000 live credits are available').waitFor();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('400');
  await dialog.getByText('1,000 → 600').waitFor();
  await dialog.getByRole('button', { name: 'Remove credits' }).click();
  await page.getByText('Removed 400 live credits').waitFor();

  await choose('Edit limits');
  await dialog.getByLabel('Running tasks').fill('1');
  await dialog.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('0 of 1', { exact: true }).first().waitFor();
  assert.equal((await client.create(textToVideo)).status, 200);
  assert.equal((await client.create(textToVideo)).status, 429);
  await page.getByText('1 of 1', { exact: true }).waitFor();

  await choose('Suspend');
  await dialog.getByLabel('Reason').fill('Invoice 2051 is overdue');
  await dialog.getByRole('button', { name: 'Suspend account' }).click();
  await page.getByRole('heading', { level: 1, name: /Harbor Films.*Suspended/ }).waitFor();
  await page.getByText('Reason: Invoice 2051 is overdue').waitFor();
  assert.equal((await client.get('/v1/credits')).status, 401);
  for (const theme of ['light', 'dark'] as const) {
    await changeTheme(page, theme);
    assert.deepEqual(await axeProblems(page), []);
  }

  const member = await fixture.member(id, 'owner');
  await member.open(`/accounts/${id}/keys?mode=live`);
  await member.page.getByText('This account is suspended').waitFor();
  assert.equal(
    await member.page.getByRole('button', { name: 'Create key' }).first().isDisabled(),
    true,
  );
  assert.equal(await member.page.getByText('Invoice 2051').count(), 0);
  await member.context.close();

  await page.getByRole('button', { name: 'Resume account' }).click();
  await dialog.getByRole('button', { name: 'Resume account' }).click();
  await page.getByRole('heading', { level: 1, name: /Harbor Films.*Active/ }).waitFor();
  await page.getByText('Resumed account').waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test('an owner caps a key and sees its use; a developer only sees it', async () => {
  const { id, client } = await fixture.service.account({ live: 1000, name: 'Lakeside Films' });
  const { page, open, pageErrors, context } = await fixture.member(id, 'owner');
  await open(`/accounts/${id}/keys?mode=live`);
  await page.getByRole('button', { name: 'Set spending cap of Lakeside Films' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Spending cap').click();
  await page.getByRole('option', { name: 'Per day' }).click();
  await dialog.getByRole('button', { name: 'Save cap' }).click();
  await dialog.getByText('Enter the number of credits').waitFor();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('8');
  await dialog.getByRole('button', { name: 'Save cap' }).click();
  await page.getByText('0 of 8 per day').waitFor();

  assert.equal((await client.create(textToVideo)).status, 200);
  assert.equal((await client.create(textToVideo)).status, 402);
  await page.reload();
  await page.getByText('5 of 8 per day').waitFor();
  await page.getByText(/^Renews in/).waitFor();
  assert.deepEqual(await axeProblems(page), []);

  await page.getByRole('button', { name: 'Create key' }).first().click();
  await dialog.getByLabel('Name').fill('Backend');
  await dialog.getByLabel('Spending cap').click();
  await page.getByRole('option', { name: 'In total' }).click();
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('100');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.getByText('0 of 100 in total').waitFor();

  const developer = await fixture.member(id, 'developer', { width: 390 });
  await developer.open(`/accounts/${id}/keys?mode=live`);
  await developer.page.getByText('Backend').first().waitFor();
  assert.equal(await developer.page.getByRole('button', { name: /^Set spending cap/ }).count(), 0);
  await developer.context.close();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
