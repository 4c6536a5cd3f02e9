/**
 * An administrator sets the prices of a customer, sees them in the playground, looks at the margin,
 * and compares and applies a vendor's bill.
 * Thorough: a tour in a browser; `server/api/margin/margin.test.ts` runs every time.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { textToVideo } from '../kit/journey.ts';
import { createScriptedProvider } from '../kit/scripted-provider.ts';

const provider = createScriptedProvider({ name: 'ark' });
const fixture = await startDashboard({
  providers: { ark: provider },
  limits: { ark: { costs: { models: { 'vidgen-2-0-mini': { '480p': { perSecond: 0.02 } } } } } },
  file: {
    routes: { 'vidgen-2-0-mini': ['ark'] },
    creditValue: { currency: 'USD', amount: 0.05 },
  },
});
after(() => fixture.close());
const { service } = fixture;

test('sets prices, reads the margin, and applies a bill', async () => {
  const account = await service.account({ live: 1000, name: 'Paper Boat Studio' });
  const { page, open } = await fixture.administrator();
  await open(`/operator/accounts/${account.id}`);
  await page.getByLabel('Percent of list prices').pressSequentially('50.5');
  await page.getByPlaceholder('Add a fixed rate').click();
  await page.getByRole('option', { name: 'vidgen-2-0-mini 480p' }).click();
  const rate = page.getByLabel('vidgen-2-0-mini 480p: credits per second');
  await rate.fill('');
  await rate.pressSequentially('1.9');
  await page.getByRole('button', { name: 'Save prices' }).click();
  await page.getByText('Prices updated').waitFor();
  const { body } = await account.client.post('/v1/videos/generations/estimate', textToVideo);
  assert.equal(body.credits, 10);

  const { id } = await account.client.run(textToVideo);
  await open(`/accounts/${account.id}/tasks/${id}`);
  await page.getByText('Cost $0.10 (by the rule) · earned $0.50 · margin $0.40').waitFor();

  await open('/operator/margin?by=account');
  const row = page.getByRole('row', { name: /Paper Boat Studio/ });
  await row.getByText('$0.40').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole('button', { name: 'Rehearse prices' }).click();
  await page.getByLabel('Percent of list prices').fill('100');
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await page.getByRole('row', { name: /Paper Boat Studio \$0\.50 → / }).waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Compare a bill' }).click();
  const dialog = page.getByRole('dialog');
  const { attempts } = (await service.admin.get(`/admin/tasks/${id}`)).body;
  const [{ operation }] = attempts as [{ operation: string }];
  const buffer = Buffer.from(`request_id,cost\n${operation},0.20\nop_of_another,1.00\n`);
  const chooseBill = async () => {
    const choosing = page.waitForEvent('filechooser');
    await dialog.getByLabel('Bill', { exact: true }).click();
    await (await choosing).setFiles({ name: 'bill.csv', mimeType: 'text/csv', buffer });
  };
  await chooseBill();
  await dialog.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'ark', exact: true }).click();
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByRole('row', { name: /op_of_another Not ours/ }).waitFor();
  await dialog.getByRole('row', { name: /operation-1 Another amount .*\$0\.20 \$0\.10/ }).waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await dialog.getByRole('button', { name: 'Apply 1 cost' }).click();
  await page.getByText('Costs of the bill applied').waitFor();
  await chooseBill();
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByRole('button', { name: 'Applied before', disabled: true }).waitFor();
  await page.keyboard.press('Escape');
  await row.getByText('$0.30').waitFor();
});
