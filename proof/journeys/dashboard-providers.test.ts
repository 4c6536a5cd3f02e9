/**
 * An administrator connects a fake provider in the dashboard, corrects what was wrong, routes a
 * model to it, and removes the provider.
 * Thorough: a tour in a browser; `api/providers/connected-providers.test.ts` runs every time.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { attemptsOf, textToVideo } from '../kit/journey.ts';
import { FakeOpenAiVideos, servedModel } from '../kit/openai-videos/fake.ts';

const apiKey = 'sk-engine-key-0123456789-wxyz';
const engine = await FakeOpenAiVideos.start({ dialect: 'vllm', apiKey, automatic: true });
const fixture = await startDashboard();
after(async () => {
  try {
    await fixture.close();
  } finally {
    await engine.close();
  }
});
const { service } = fixture;
const { model } = textToVideo;

test('connects a provider, tests it, routes a model to it, uses it and removes it', async () => {
  const account = await service.account({ live: 100 });
  const { page, open } = await fixture.administrator();
  await open('/operator/system');
  await page.getByText('No provider connected').waitFor();
  await page.getByRole('link', { name: 'Connect provider' }).click();

  const dialog = page.getByRole('dialog', { name: 'Connect provider' });
  await dialog.getByRole('button', { name: /OpenAI-compatible/ }).click();
  await dialog.getByLabel('Base URL').fill('http://169.254.169.254/v1');
  await dialog.getByLabel(/^API key/).fill('sk-a-wrong-key-of-this-engine');
  await dialog.getByLabel(model, { exact: true }).fill(servedModel);
  await dialog.getByRole('button', { name: 'Save and continue' }).click();
  await dialog.getByText('must not be a link-local address').waitFor();
  await dialog.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
  await dialog.getByRole('button', { name: 'Save and continue' }).click();
  await dialog.getByText('Must lead to a server that answers').waitFor();
  assert(await dialog.getByLabel('Save it anyway').isVisible());
  await dialog.getByLabel('Base URL').fill(engine.baseUrl);
  await dialog.getByRole('button', { name: 'Save and continue' }).click();

  await dialog.getByRole('button', { name: 'Run test video' }).click();
  await dialog.getByText('The provider rejected the test: Unauthorized').waitFor();
  await dialog.getByRole('button', { name: 'Back' }).click();
  assert.equal(await dialog.getByLabel('Base URL').inputValue(), engine.baseUrl);
  await dialog.getByLabel(/^API key/).fill(apiKey);
  await dialog.getByRole('button', { name: 'Save and continue' }).click();
  await dialog.getByRole('button', { name: 'Run test video' }).click();
  await dialog.getByText('It works.').waitFor();
  await dialog.getByRole('button', { name: 'Set routes' }).click();
  await dialog.getByText('First choice').click();
  await dialog.getByRole('button', { name: 'Save routes' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('No provider connected').waitFor({ state: 'detached' });

  await open('/operator/providers');
  const card = page.getByRole('article', { name: 'engine', exact: true });
  const act = async (action: string) => {
    await card.getByRole('button', { name: 'Actions for engine' }).click();
    await page.getByRole('menuitem', { name: action }).click();
    // While it fades, it is a menu without items.
    await page.getByRole('menu').waitFor({ state: 'detached' });
  };
  await act('Edit connection');
  const connection = page.getByRole('dialog', { name: 'Connection of engine' });
  await connection.getByLabel('Base URL').fill(`${engine.baseUrl}/`);
  assert.deepEqual(await axeProblems(page), []);
  await connection.getByRole('button', { name: 'Save connection' }).click();
  await page.getByText('Saved engine').waitFor();
  await act('Replace key');
  const replace = page.getByRole('dialog', { name: 'Replace the key of engine' });
  await replace.getByLabel(/^API key/).fill(apiKey);
  await replace.getByRole('button', { name: 'Replace key' }).click();
  await card.getByText('••••wxyz').waitFor();

  await act('Run test video');
  const tested = page.getByRole('dialog', { name: 'Test engine' });
  await tested.getByRole('button', { name: 'Run test video' }).click();
  await tested.getByText('It works.').waitFor();
  await tested.getByLabel('Test video').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await tested.getByRole('button', { name: 'Done' }).click();

  const { body } = await account.client.create(textToVideo);
  const taskId = String(body.taskId);
  assert.equal((await account.client.final(taskId)).status, 'completed');
  assert.deepEqual(await attemptsOf(service, taskId), [['engine', 'completed']]);
  await open(`/accounts/${account.id}/tasks/${taskId}`);
  assert.equal(await page.getByText('Preview', { exact: true }).count(), 0);

  await open('/operator/providers');
  const figures = card.locator('dl').first();
  await figures.getByText('100%').waitFor();
  assert.match(await figures.innerText(), /^Attempts\s+1\s+Success rate\s+100%\s+Median time\s+\d/);
  await act('Remove');
  const removal = page.getByRole('dialog', { name: 'Remove engine?' });
  await removal.getByText(`${model} has no other provider.`).waitFor();
  await removal.getByText('made by the preview and still charged').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole('button', { name: 'Remove provider' }).click();
  await card.getByText('Removing').waitFor();
  await page.getByText('No provider connected').waitFor();
  const preview = await account.client.create(textToVideo);
  await open(`/accounts/${account.id}/tasks/${preview.body.taskId}`);
  await page.getByText('Preview', { exact: true }).first().waitFor();
  await service.assertInvariants();
});
