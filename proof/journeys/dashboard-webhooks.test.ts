/**
 * A webhook and the files of its task in a real browser: the headers as they arrived, and a
 * reference video and audio file of another host that play.
 * Thorough: encodes media and plays it in a browser.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeProblems, startDashboard } from '../kit/dashboard-fixture.ts';
import { makeMedia } from '../kit/media-files.ts';
import { startMediaServer } from '../kit/media-server.ts';
import { startReceiver } from '../kit/receiver.ts';

const fixture = await startDashboard();
const receiver = await startReceiver();
const hosts = await startMediaServer();
after(async () => {
  await fixture.close();
  await receiver.close();
  await hosts.close();
});

test('shows the headers that were sent, and plays the files of the request', async () => {
  const { id, client } = await fixture.service.account({ live: 200 });
  const video = await makeMedia({ format: 'webm', video: 'libvpx', seconds: 3 });
  const audio = await makeMedia({ format: 'wav', audio: 'pcm_s16le', seconds: 3 });
  const { body } = await client.create({
    model: 'vidgen-2-5',
    callback_url: receiver.url,
    input: {
      ...{ prompt: 'A boat', generation_type: 'reference-to-video', resolution: '480p' },
      ...{ video_urls: [hosts.serve('clip.webm', video)], duration: 4 },
      ...{ audio_urls: [hosts.serve('waves.wav', audio)] },
    },
  });
  const task = String(body.taskId);
  await client.final(task);
  const [sent] = await receiver.waitForWebhooks(1);
  const { page, open, pageErrors, context } = await fixture.member(id, 'developer');

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
  assert.deepEqual(pageErrors, []);
  await context.close();
});
