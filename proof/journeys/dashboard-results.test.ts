/**
 * What comes of tasks, in a real browser: where their results lead to, why they failed, what they
 * cost, as it is printed, and the webhook and the files of a request.
 * Thorough: pages in a browser, and media that play there; the endpoints are tested in every run.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { makeMedia } from '../kit/media-files.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { startReceiver } from '../kit/receiver.ts';

const fixture = await startDashboard();
after(() => fixture?.close());

test('on a phone, a new video is below the header and beside no form', async () => {
  const { id } = await fixture.service.account({ test: 500, mode: 'test' });
  const { page, open } = await fixture.member(id, 'developer', { width: 390 });
  await open(`/accounts/${id}/playground?mode=test&model=vidgen-2-0-mini`);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('A boat at dusk');
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
});

/** Seeks near the end of a video, and counts the colors of the frame that is shown. */
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

test('a signed video is sought in, by ranges', async () => {
  const { id, client } = await fixture.service.account({ test: 500, mode: 'test' });
  const input = { prompt: 'A boat at dusk', resolution: '480p', duration: 4 };
  const { body } = await client.create({ model: 'vidgen-2-0-mini', input });
  await client.final(String(body.taskId));
  const { page, open } = await fixture.member(id, 'developer');
  const statuses: number[] = [];
  page.on('response', (one) => {
    if (one.request().resourceType() === 'media') statuses.push(one.status());
  });
  await open(`/accounts/${id}/tasks/${body.taskId}?mode=test`);
  const colors = await page.locator('video').evaluate(colorsAtEnd);
  assert.deepEqual([colors > 50, new Set(statuses)], [true, new Set([206])], `${colors} colors`);
});

test('settings are used again, and rejected content is changed before that', async () => {
  const { id, client } = await fixture.service.account({ test: 500, mode: 'test' });
  const { page, open } = await fixture.member(id, 'developer');
  const run = async (prompt: string) => {
    const input = { prompt, resolution: '480p', duration: 4 };
    const { taskId } = (await client.create({ model: 'vidgen-2-0-mini', input })).body;
    await client.final(String(taskId));
    await open(`/accounts/${id}/tasks/${taskId}?mode=test`);
  };
  const opensForm = async (prompt: string) => {
    await page.waitForURL(/playground/);
    assert.equal(await page.getByRole('textbox', { name: 'Prompt' }).inputValue(), prompt);
    assert(await page.getByRole('radio', { name: /^480p/ }).isChecked());
  };
  await run('A boat at dusk');
  await page.getByRole('button', { name: 'Reuse settings' }).click();
  await opensForm('A boat at dusk');
  await run('A boat [test:reject]');
  assert.equal(await page.getByRole('button', { name: 'Try again', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Edit and try again' }).click();
  await opensForm('A boat [test:reject]');
});

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
  const { page, open } = await fixture.member(id, 'viewer');

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
});

test('shows the headers that were sent, and plays the files of the request', async (t) => {
  const receiver = await startReceiver();
  const hosts = await startMediaServer();
  t.after(() => Promise.all([receiver.close(), hosts.close()]));
  const { id, client } = await fixture.service.account({ live: 200 });
  const video = await makeMedia({ format: 'webm', video: 'libvpx', seconds: 3 });
  const audio = await makeMedia({ format: 'wav', audio: 'pcm_s16le', seconds: 3 });
  const { body } = await client.create({
    model: 'vidgen-2-5',
    callback_url: receiver.url,
    input: {
      prompt: 'A boat',
      generation_type: 'reference-to-video',
      resolution: '480p',
      video_urls: [hosts.serve('clip.webm', video)],
      duration: 4,
      audio_urls: [hosts.serve('waves.wav', audio)],
    },
  });
  const task = String(body.taskId);
  await client.final(task);
  const [sent] = await receiver.waitForWebhooks(1);
  const { page, open } = await fixture.member(id, 'developer');

  await open(`/accounts/${id}/tasks/${task}?mode=live`);
  for (const name of ['Video 1', 'Audio 1']) {
    await page.getByRole('button', { name: `Play ${name.toLowerCase()}` }).click();
    await page.waitForFunction(
      (label) =>
        Number(document.querySelector<HTMLMediaElement>(`[aria-label="${label}"]`)?.currentTime) >
        0,
      name,
    );
  }
  assert.deepEqual(await axeProblems(page), []);

  await open(`/accounts/${id}/webhooks?mode=live`);
  await page.getByRole('row', { name: new RegExp(task) }).click();
  const signature = String(sent!.headers['webhook-signature']);
  await page.getByText(`webhook-signature: ${signature}`).waitFor();
  await page.getByRole('button', { name: 'Verify the signature' }).click();
  await page.getByText('timingSafeEqual').first().waitFor();
  assert.deepEqual(await axeProblems(page), []);
});
