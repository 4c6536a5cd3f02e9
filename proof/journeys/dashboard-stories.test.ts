/**
 * Three shots by Continue in a real browser: one story, downloaded as one file that plays. A shot
 * that is missing is named.
 * Thorough: renders three videos and plays them in a browser.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertPlayable } from '../kit/assert-playable.ts';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';

const fixture = await startDashboard({ environment: { VIDGEN_POSTERS: 'on' } });
after(() => fixture?.close());

/** Waits for the task after `before` to complete in the playground, and returns its ID. */
async function completedAfter(page: Page, before: string): Promise<string> {
  await page.waitForURL((url) => (url.searchParams.get('task') ?? before) !== before);
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByRole('button', { name: 'Continue' }).waitFor({ timeout: 120_000 });
  return new URL(page.url()).searchParams.get('task')!;
}

/** Creates the next shot in the playground, which Continue has opened. */
async function createShot(page: Page, { number, prompt }: { number: number; prompt: string }) {
  await page.getByText(`Shot ${number} of a story.`).waitFor();
  const before = new URL(page.url()).searchParams.get('task')!;
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  await page.getByRole('button', { name: 'Generate' }).click();
  return await completedAfter(page, before);
}

test('three shots by Continue are one story, downloaded as one file that plays', async () => {
  const account = await fixture.service.account({ test: 1000, mode: 'test' });
  const input = { prompt: 'A boat at dusk', resolution: '480p', duration: 4 };
  const { body } = await account.client.create({ model: 'vidgen-2-0-mini', input });
  const first = String(body.taskId);
  await account.client.final(first);
  const { page, open, pageErrors, context } = await fixture.member(account.id, 'developer');
  await open(`/accounts/${account.id}/tasks/${first}?mode=test`);
  // No last frame was saved: the browser reads and uploads it.
  await page.getByRole('button', { name: 'Continue' }).click();
  const second = await createShot(page, { number: 2, prompt: 'The mist rises, pan left' });
  await page.getByRole('button', { name: 'Continue' }).click();
  const third = await createShot(page, { number: 3, prompt: 'Night falls, slow zoom in' });

  await page.getByRole('link', { name: 'Open task' }).click();
  await page.getByText('Story of 3 shots').waitFor();
  const shots = page.locator('ol > li', { hasText: 'Shot' });
  await shots.locator('img').nth(2).waitFor({ state: 'attached' });
  assert.deepEqual(await shots.allInnerTexts(), ['Shot 1', 'Shot 2', 'Shot 3']);
  assert.equal(await shots.locator('img').count(), 3, 'each has its poster');
  assert.deepEqual(await axeProblems(page), []);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as one file' }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'story-a-boat-at-dusk.mp4');
  const bytes = await readFile(await download.path());
  await assertPlayable(bytes);

  assert.deepEqual(pageErrors, []);

  // A missing shot is named, on the page of every other one that knows of it.
  await account.client.send('DELETE', `/v1/tasks/${second}`);
  await open(`/accounts/${account.id}/tasks/${third}?mode=test`);
  await page.getByText('Shot 2 was deleted. All shots are needed').waitFor();
  assert(await page.getByRole('button', { name: 'Download as one file' }).isDisabled());
  await context.close();
});
