/**
 * In a real browser the preview plays, and the pages contact no other host.
 * Thorough: renders and plays a whole video in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../kit/browser.ts';
import { startService } from '../kit/service.ts';

const [browser, service] = await Promise.all([launchBrowser(), startService()]);
after(async () => {
  await browser?.close();
  await service?.close();
});

async function openPage(): Promise<{ page: Page; hosts: Set<string>; errors: string[] }> {
  const page = await browser.newPage();
  const hosts = new Set<string>();
  const errors: string[] = [];
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http')) hosts.add(host);
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, hosts, errors };
}

test('a video of the built-in preview plays to its end in a browser', async () => {
  const account = await service.account({ test: 100, mode: 'test' });
  const input = { prompt: 'waves at dawn', resolution: '480p', duration: 4 };
  const { body } = await account.client.create({ model: 'vidgen-2-0-mini', input });
  const task = await account.client.final(body.taskId as string);
  assert.equal(task.status, 'completed');
  const { page } = await openPage();
  // The browser shows a video file on a page of its own.
  await page.goto(task.data!.results[0]!);
  const played = await page.evaluate(async () => {
    const video = document.querySelector('video')!;
    video.muted = true;
    if (!video.ended) {
      const end = new Promise((resolve) => video.addEventListener('ended', resolve));
      await video.play();
      await end;
    }
    const { videoWidth, videoHeight, currentTime } = video;
    return { videoWidth, videoHeight, currentTime };
  });
  assert.deepEqual([played.videoWidth, played.videoHeight], [864, 496]);
  assert.ok(Math.abs(played.currentTime - 4) < 0.1, `${played.currentTime} s`);
  await page.close();
});

for (const [path, text] of [
  ['/', 'Sign in'],
  ['/docs', 'Create a video task'],
] as const) {
  test(`${path} opens without errors and contacts no other host`, async () => {
    const { page, hosts, errors } = await openPage();
    await page.goto(`${service.url}${path}`);
    await page.getByText(text).first().waitFor();
    await page.waitForFunction(() => document.readyState === 'complete');
    assert.deepEqual([...hosts], [new URL(service.url).host]);
    assert.deepEqual(errors, []);
    await page.close();
  });
}
