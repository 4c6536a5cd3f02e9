/**
 * Three shots by Continue in a real browser: one story, downloaded as one file that plays without a
 * break. A shot that is missing is named.
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

const secondsPerShot = 4;
const frameSeconds = 1 / 24;

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

/**
 * Runs in the page: the length, how much two frames differ on average, by part, and how much of the
 * part with the label is black in the second one.
 */
async function compareFrames({ bytes, pairs }: { bytes: string; pairs: [number, number][] }) {
  const video = document.createElement('video');
  video.muted = true;
  const content = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  const loaded = new Promise((resolve) => video.addEventListener('loadeddata', resolve));
  video.src = URL.createObjectURL(new Blob([content], { type: 'video/mp4' }));
  await loaded;
  const { videoWidth: width, videoHeight: height, duration } = video;
  const pixelsAt = async (second: number) => {
    const seeked = new Promise((resolve) => video.addEventListener('seeked', resolve));
    video.currentTime = second;
    await seeked;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    context.drawImage(video, 0, 0);
    return context.getImageData(0, 0, width, height).data;
  };
  const differences: { label: number; rest: number; black: number }[] = [];
  for (const [one, other] of pairs) {
    const [before, behind] = [await pixelsAt(one), await pixelsAt(other)];
    const sums = { label: [0, 0], rest: [0, 0] };
    let blackPixels = 0;
    for (let at = 0; at < before.length; at += 4) {
      const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
      // The label PREVIEW is in the upper left corner.
      const part = sums[x < width * 0.25 && y < height * 0.15 ? 'label' : 'rest'];
      part[0]! += Math.abs(before[at + 1]! - behind[at + 1]!);
      part[1]! += 1;
      if (part === sums.label && behind[at + 1]! < 10) blackPixels += 1;
    }
    const [label, rest] = [sums.label, sums.rest].map(([sum, count]) => sum! / count!);
    differences.push({ label: label!, rest: rest!, black: blackPixels / sums.label[1]! });
  }
  return { duration, differences };
}

test('three shots by Continue are one story, downloaded as one file that plays', async () => {
  const account = await fixture.service.account({ test: 1000, mode: 'test' });
  const input = { prompt: 'A boat at dusk', resolution: '480p', duration: secondsPerShot };
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
  assert.equal(download.suggestedFilename(), `story-${first}.mp4`);
  const bytes = await readFile(await download.path());
  await assertPlayable(bytes);

  const pairs: [number, number][] = [
    // Up to two frames at the joints are left out of the file.
    [secondsPerShot - 2.5 * frameSeconds, secondsPerShot + 0.5 * frameSeconds],
    [2 * secondsPerShot - 3.5 * frameSeconds, 2 * secondsPerShot + 0.5 * frameSeconds],
    // Far from the joints, for comparison.
    [1, 3],
  ];
  const { duration, differences } = await page.evaluate(compareFrames, {
    bytes: bytes.toString('base64'),
    pairs,
  });
  assert(Math.abs(duration - 3 * secondsPerShot) < 0.1, `${duration} s`);
  const [one, other, moved] = differences;
  for (const joint of [one!, other!]) {
    assert(joint.rest < 4, JSON.stringify(differences));
    // The shot begins on a frame without the label of the one before.
    assert(joint.label > joint.rest + 2, JSON.stringify(differences));
    assert(joint.black < 0.02, JSON.stringify(differences));
  }
  assert(moved!.rest > one!.rest, JSON.stringify(differences));
  assert.deepEqual(pageErrors, []);

  // A missing shot is named, on the page of every other one that knows of it.
  await account.client.send('DELETE', `/v1/tasks/${second}`);
  await open(`/accounts/${account.id}/tasks/${third}?mode=test`);
  await page.getByText('Shot 2 was deleted. All shots are needed').waitFor();
  assert(await page.getByRole('button', { name: 'Download as one file' }).isDisabled());
  await context.close();
});
