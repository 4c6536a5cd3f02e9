/**
 * An administrator connects a preset with two models at their prices, repeats the declaration that
 * failed, runs a test video, gives a model an option as JSON, makes a task with it in the
 * playground, changes the price, and removes the model.
 * Thorough: a tour in a browser; `server/catalog` and `models/declaration.test.ts` run every
 * time.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { startLocalServer } from '../kit/local-server.ts';
import { startResultServer } from '../kit/result-server.ts';

const results = await startResultServer();
const wan = await startLocalServer((request, response) => {
  const done = { task_status: 'SUCCEEDED', video_url: results.videoUrl('boat') };
  const output = request.method === 'GET' ? done : { task_id: 'job-1', task_status: 'PENDING' };
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output }));
});
const renderer = fileURLToPath(new URL('../kit/one-second-renderer.ts', import.meta.url));
const fixture = await startDashboard({ renderer });
after(async () => {
  try {
    await fixture.close();
  } finally {
    await wan.close();
    await results.close();
  }
});
const { service } = fixture;

test('connects a preset with prices, sells a model with an option, and removes it', async () => {
  const account = await service.account({ test: 1000, mode: 'test' });
  const { page, open } = await fixture.administrator();
  await open('/operator/providers?connect=true');
  const connect = page.getByRole('dialog', { name: 'Connect provider' });
  await connect.getByRole('button', { name: /Another API/ }).click();
  await connect.getByRole('combobox', { name: 'API' }).click();
  await page.getByRole('option', { name: 'Wan (DashScope)' }).click();
  await connect.getByLabel('Base URL').fill(`${wan.origin}/api/v1`);
  await connect.getByLabel(/^API key/).fill('sk-wan-key-0123456789');
  await connect.getByLabel('Wan 3 Prime').check();
  const price = (name: string, at: string) =>
    connect.getByLabel(`Credits per second of ${name} at ${at}`, { exact: true });
  await price('wan-3', '720p').fill('8.2');
  await connect.getByRole('button', { name: 'Save and continue' }).click();
  await connect.getByText('Enter a price for wan-3-prime.').waitFor();
  await price('wan-3-prime', '1080p').fill('20');
  assert.deepEqual(await axeProblems(page), []);
  let declared = 0;
  await page.route('**/admin/models', (route) =>
    route.request().method() === 'POST' && ++declared === 2
      ? route.fulfill({ status: 500, body: '' })
      : route.continue(),
  );
  await connect.getByRole('button', { name: 'Save and continue' }).click();
  await connect.getByText('wan is connected').waitFor();
  await connect.getByText('Not declared yet: wan-3-prime.').waitFor();
  assert.equal(await price('wan-3', '720p').count(), 0);
  await connect.getByRole('button', { name: 'Declare and continue' }).click();
  await connect.getByRole('button', { name: 'Run test video' }).click();
  await connect.getByText('It works.').waitFor();
  await connect.getByRole('button', { name: 'Set routes' }).click();
  await connect.getByRole('button', { name: 'Save routes' }).click();

  await open('/operator/models');
  const card = page.getByRole('article', { name: 'wan-3', exact: true });
  await card.getByText('8.2 credits per second').waitFor();
  await card.getByText('wan', { exact: true }).waitFor();
  const act = async (action: string) => {
    await card.getByRole('button', { name: 'Actions for wan-3' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Change');
  const editor = page.getByRole('dialog', { name: 'Change wan-3' });
  await editor.getByText('5 s at 720p costs 41 credits.').waitFor();
  await editor.getByText('JSON', { exact: true }).click();
  const json = editor.getByLabel('Declaration');
  const declaration = JSON.parse(await json.inputValue());
  await json.fill(JSON.stringify({ ...declaration, sounds: 'never' }));
  await editor.getByText('sounds: Is not a known field').waitFor();
  const options = { style: { type: 'choice', values: ['film', 'clay'] } };
  await json.fill(JSON.stringify({ ...declaration, editing: { min: 9, max: 4 }, options }));
  await editor.getByRole('button', { name: 'Save model' }).click();
  await editor.getByText('editing: Must have min <= max').waitFor();
  await json.fill(JSON.stringify({ ...declaration, options }));
  await editor.getByText('Form', { exact: true }).click();
  await editor.getByLabel('Credits per second at 720p').fill('9');
  await editor.getByText('5 s at 720p costs 45 credits.').waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await editor.getByRole('button', { name: 'Save model' }).click();
  await card.getByText('9 credits per second').waitFor();

  await open(`/accounts/${account.id}/playground?mode=test&model=wan-3&prompt=A%20boat`);
  await page.getByRole('combobox', { name: 'Style' }).click();
  await page.getByRole('option', { name: 'clay' }).click();
  await page.getByText('"style": "clay"').waitFor();
  await page.getByText('Costs 45 of your').waitFor();
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForURL(/task=task_/);
  const taskId = new URL(page.url()).searchParams.get('task')!;
  const { body } = await service.admin.get(`/admin/tasks/${taskId}`);
  assert.partialDeepStrictEqual(body, {
    credits: 45,
    request: { input: { options: { style: 'clay' } } },
  });

  await open('/operator/models');
  await act('Remove');
  await page.getByRole('button', { name: 'Remove model' }).click();
  await card.waitFor({ state: 'detached' });
  await service.assertInvariants();
});
