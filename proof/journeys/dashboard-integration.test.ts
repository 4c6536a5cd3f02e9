/**
 * What connects programs with an account, in a real browser: the account's webhook endpoint, the
 * metadata of a task, and the confirmation of a login of the command line.
 * Thorough: a tour in a browser; the endpoints are tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard, type Visitor } from '../kit/dashboard-fixture.ts';
import { textToVideo } from '../kit/journey.ts';

const fixture = await startDashboard();
after(() => fixture?.close());
const { service } = fixture;

/** No violation of accessibility, no error, and nothing wider than the window. */
async function assertPage({ page, pageErrors }: Visitor): Promise<void> {
  assert.deepEqual(await axeProblems(page), []);
  assert.deepEqual(pageErrors, []);
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert(content! <= window!, `${content} px in ${window}`);
}

for (const width of [1440, 390]) {
  test(`a developer sets and removes the account's endpoint (${width} px)`, async () => {
    const { id } = await service.account({ live: 100 });
    const visitor = await fixture.member(id, 'developer', { width });
    const { page, open, context } = visitor;
    await open(`/accounts/${id}/webhooks?mode=live`);
    await page.getByText('Not set. Only tasks with a callback_url').waitFor();
    await page.getByRole('button', { name: 'Set endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'Default endpoint' });
    await dialog.getByLabel('URL').fill('ftp://example.com');
    await dialog.getByRole('button', { name: 'Save endpoint' }).click();
    await dialog.getByText(/must (start|use|be)/i).waitFor();
    await dialog
      .getByLabel('URL')
      .fill('https://hooks.example.com/a-rather-long-path/of-a-receiver');
    await dialog.getByRole('button', { name: 'Save endpoint' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('https://hooks.example.com/a-rather').first().waitFor();
    await assertPage(visitor);

    const viewer = await fixture.member(id, 'viewer', { width });
    await viewer.open(`/accounts/${id}/webhooks?mode=live`);
    await viewer.page.getByText('https://hooks.example.com/a-rather').first().waitFor();
    assert.equal(
      await viewer.page.getByRole('button', { name: /(Set|Change) endpoint/ }).count(),
      0,
    );

    await page.getByRole('button', { name: 'Change endpoint' }).click();
    await dialog.getByLabel('URL').fill('');
    await dialog.getByRole('button', { name: 'Save endpoint' }).click();
    await page.getByText('Not set. Only tasks with a callback_url').waitFor();
    await Promise.all([context.close(), viewer.context.close()]);
  });

  test(`a task shows its metadata as text (${width} px)`, async () => {
    const { id, client } = await service.account({ live: 100 });
    const metadata = { order: '<b>42</b>', ['k'.repeat(64)]: 'v'.repeat(300) };
    const { body } = await client.create({ ...textToVideo, metadata });
    const visitor = await fixture.member(id, 'viewer', { width });
    await visitor.open(`/accounts/${id}/tasks/${body.taskId}?mode=live`);
    await visitor.page.getByText('<b>42</b>').waitFor();
    await visitor.page.getByText('v'.repeat(300)).waitFor();
    await assertPage(visitor);
    await visitor.context.close();
  });

  test(`a developer confirms a login after seeing who asks (${width} px)`, async () => {
    const { id } = await service.account({ test: 100, name: 'Paper Boat' });
    const start = async () => {
      const response = await fetch(`${service.url}/logins`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ machine: '<i>ada-laptop</i>' }),
      });
      return (await response.json()) as { code: string; url: string; device_code: string };
    };
    const login = await start();
    const visitor = await fixture.member(id, 'developer', { width });
    const { page, context } = visitor;
    await page.goto(login.url);
    await page.getByText(login.code, { exact: true }).waitFor();
    await page.getByText('<i>ada-laptop</i>').waitFor();
    await page.getByText('127.0.0.1').waitFor();
    await page.getByText('If someone sent you this link or code, close this page').waitFor();
    await assertPage(visitor);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByText('return to your terminal').waitFor();
    await assertPage(visitor);
    const collected = await fetch(`${service.url}/logins/collect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ device_code: login.device_code }),
    });
    const { key, mode, account_name: account } = (await collected.json()) as Record<string, string>;
    assert.deepEqual([mode, account], ['test', 'Paper Boat']);
    assert.match(key!, /^vg_test_/);

    await page.goto('/dashboard/login');
    await page.getByLabel('Code').fill(login.code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Couldn’t find this login').waitFor();
    await context.close();

    const viewer = await fixture.member(id, 'viewer', { width });
    await viewer.page.goto((await start()).url);
    await viewer.page.getByText('You don’t have permission to create keys').waitFor();
    await assertPage(viewer);
    await viewer.context.close();
  });
}

test('the task page and the playground name the fields that were ignored', async () => {
  const { id, client } = await service.account({ test: 100, mode: 'test' });
  const prompt = 'A paper boat [test:fail]';
  const input = { prompt, image_urls: ['https://example.com/boat.jpg'] };
  const { body } = await client.create({ model: 'vidgen-2-5', input });
  await client.final(String(body.taskId));
  const visitor = await fixture.member(id, 'developer', { width: 390 });
  const { page, open, context } = visitor;
  const expected = 'input.image_urls has no effect when generation_type is text-to-video';
  await open(`/accounts/${id}/tasks/${body.taskId}?mode=test`);
  await page.getByText(expected).waitFor();
  await assertPage(visitor);
  await open(`/accounts/${id}/playground?mode=test&task=${body.taskId}`);
  await page.getByText(expected).waitFor();

  await page.getByText('Image', { exact: true }).click();
  await page.getByLabel('URL of the first frame').fill(input.image_urls[0]!);
  await page.keyboard.press('Enter');
  await page.getByText('1 of 2').waitFor();
  await page.getByText('Text', { exact: true }).click();
  await page.getByText('The images you added won’t be used.').waitFor();
  await assertPage(visitor);
  await context.close();
});
