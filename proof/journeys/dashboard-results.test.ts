/**
 * What a result leads to, in a real browser: its edit, an extension of that, its settings again,
 * and a changed prompt where the content was rejected.
 * Thorough: renders three videos.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

const promptOf = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });

/** Writes the prompt where the focus is, sends the form, and returns the request of its task. */
async function generate(page: Page, prompt: string) {
  await page.waitForFunction(() => document.activeElement?.matches('textarea'));
  const before = new URL(page.url()).searchParams.get('task');
  await page.keyboard.type(prompt);
  const button = page.getByRole('button', { name: 'Generate' });
  const { y, height } = (await button.boundingBox())!;
  assert(y > 0 && y + height <= 900, 'it is in view without scrolling');
  await button.click();
  await page.waitForURL((url) => (url.searchParams.get('task') ?? before) !== before);
  await page.getByText(prompt).last().waitFor();
  const task = new URL(page.url()).searchParams.get('task')!;
  await page.getByRole('button', { name: 'Extend' }).waitFor();
  const { body } = await fixture.service.admin.get(`/admin/tasks/${task}`);
  return body as { request: { input: Record<string, unknown> }; data: { results: string[] } };
}

/** Seeks near the end of a signed video, and counts the colors of the frame that is shown. */
async function colorsAtEnd(element: Element): Promise<number> {
  const video = element as HTMLVideoElement;
  video.preload = 'auto';
  if (video.readyState === 0) await new Promise((done) => (video.onloadedmetadata = done));
  video.currentTime = video.duration - 0.1;
  await new Promise((done) => (video.onseeked = done));
  const context = new OffscreenCanvas(64, 36).getContext('2d')!;
  context.drawImage(video, 0, 0, 64, 36);
  return new Set(new Uint32Array(context.getImageData(0, 0, 64, 36).data.buffer)).size;
}

test('a result leads to its edit, to an extension and to its settings', async () => {
  const { id, client } = await fixture.service.account({ test: 2000, mode: 'test' });
  // This model edits no videos: another one is chosen.
  const input = { prompt: 'A boat at dusk', resolution: '480p', duration: 4 };
  const { body } = await client.create({ model: 'vidgen-2-0-mini', input });
  const { data } = await client.final(String(body.taskId));
  const { page, open, pageErrors, context } = await fixture.member(id, 'developer');
  const statuses: number[] = [];
  page.on('response', (one) => {
    if (one.request().resourceType() === 'media') statuses.push(one.status());
  });
  await open(`/accounts/${id}/tasks/${body.taskId}?mode=test`);
  const colors = await page.locator('video').evaluate(colorsAtEnd);
  assert.deepEqual([colors > 50, new Set(statuses)], [true, new Set([206])], `${colors} colors`);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByText('Video to edit').waitFor();
  assert.equal(
    await page.getByPlaceholder(/^Paste the URL/).count(),
    0,
    'the video is in its slot',
  );
  const edit = await generate(page, 'Make it snow');
  assert.deepEqual(edit.request.input.video_urls, data?.results);
  assert.equal(edit.request.input.duration, -1);

  await page.getByRole('button', { name: 'Extend' }).click();
  await page.getByText('Video to extend').waitFor();
  const { request } = await generate(page, 'The boat reaches the harbor');
  const { video_urls, duration, aspect_ratio } = request.input;
  assert.deepEqual(video_urls, edit.data.results);
  assert.deepEqual([duration, aspect_ratio], [5, 'adaptive']);

  await open(`/accounts/${id}/tasks/${body.taskId}?mode=test`);
  await page.getByRole('button', { name: 'Reuse settings' }).click();
  await page.waitForURL(/playground/);
  assert.equal(await promptOf(page).inputValue(), input.prompt);
  assert(await page.getByRole('radio', { name: /^480p/ }).isChecked());
  assert.deepEqual(pageErrors, []);
  await context.close();
});

test('on a phone, a new video is below the header and beside no form', async () => {
  const { id } = await fixture.service.account({ test: 500, mode: 'test' });
  const { page, open, context } = await fixture.member(id, 'developer', { width: 390 });
  await open(`/accounts/${id}/playground?mode=test&model=vidgen-2-0-mini`);
  await promptOf(page).fill('A boat at dusk');
  await page.getByRole('button', { name: 'Generate' }).click();
  const video = page.locator('video[aria-label="Generated video"]');
  await video.waitFor();
  const bottom = await page.locator('header').evaluate((one) => one.getBoundingClientRect().bottom);
  await page.waitForFunction(
    ([selector, edge]) => {
      const { top, bottom: end } = document
        .querySelector(String(selector))!
        .getBoundingClientRect();
      return top >= Number(edge) && end <= innerHeight;
    },
    ['video[aria-label="Generated video"]', bottom] as const,
  );
  await context.close();
});

test('rejected content is changed before it is sent again', async () => {
  const { id, client } = await fixture.service.account({ test: 500, mode: 'test' });
  const input = { prompt: 'A boat [test:reject]', resolution: '480p', duration: 4 };
  const { taskId } = (await client.create({ model: 'vidgen-2-5', input })).body;
  await client.final(String(taskId));
  const { page, open, context } = await fixture.member(id, 'developer');
  await open(`/accounts/${id}/tasks/${taskId}?mode=test`);
  assert.equal(await page.getByRole('button', { name: 'Try again', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Edit and try again' }).click();
  await page.waitForURL(/playground/);
  assert.equal(await promptOf(page).inputValue(), input.prompt);
  await context.close();
});
