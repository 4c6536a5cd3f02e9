/**
 * The figures of an account in a real browser: why tasks failed, from the overview to the list; one
 * row a task in the credits; and the statement of the month, as it is printed.
 * Thorough: pages in a browser; the endpoints are tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('failures lead to their tasks, and credits add up on a printed statement', async () => {
  const { id, client } = await fixture.service.account({ test: 500, mode: 'test' });
  const size = { model: 'vidgen-2-0-mini', resolution: '480p', duration: 4 };
  const run = async (prompt: string) => {
    const { model, ...input } = size;
    const { body } = await client.create({ model, input: { ...input, prompt } });
    return { ...(await client.final(String(body.taskId))), id: String(body.taskId) };
  };
  const { credits } = await run('A boat at dusk');
  const rejected = await run('A boat [test:reject]');
  const { page, open, pageErrors, context } = await fixture.member(id, 'viewer');

  await open(`/accounts/${id}?mode=test`);
  await page.getByText('50%').waitFor();
  const quickStart = page.getByRole('button', { name: 'Quick start' });
  assert.equal(await quickStart.getAttribute('aria-expanded'), 'false', 'a key was used');
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole('link', { name: 'Content rejected' }).click();
  await page.waitForURL(/failed_reason=provider_rejected/);
  await page.getByRole('cell', { name: 'Content rejected' }).waitFor();
  assert.equal(await page.locator('[data-row]').count(), 1);
  await open(`/accounts/${id}/usage?mode=test`);
  await page.getByText('Failed tasks by reason').waitFor();

  await open(`/accounts/${id}/credits?mode=test`);
  const row = page.getByRole('row', { name: new RegExp(rejected.id) });
  await row.getByText(`${credits} refunded`).waitFor();
  assert.equal(await page.locator('[data-row]').count(), 3, 'two tasks and the grant');

  await page.getByRole('link', { name: 'Monthly statement' }).click();
  await page.getByText('Closing balance').waitFor();
  const cells = await page.getByRole('row').last().getByRole('cell').allInnerTexts();
  assert.deepEqual(cells.slice(1), ['Charged', '1 task', `−${credits}`, String(500 - credits)]);
  assert.deepEqual(await axeProblems(page), []);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert(await page.getByRole('navigation', { name: 'Main' }).isHidden());
  assert(await page.getByRole('button', { name: 'Print or save as PDF' }).isHidden());
  const color = await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color);
  assert.equal(color, 'rgb(0, 0, 0)', 'the dark theme is printed black on white');
  assert.deepEqual(pageErrors, []);
  await context.close();
});
