/**
 * A video that its provider calls finished and nobody can fetch: tried again, then refunded.
 * One engine: the subject is what an upstream hands out.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { sleep } from '../../server/clock.ts';
import type { ResultSource } from '../../server/providers/provider.ts';
import { balanceOf, type Journey, startJourney, textToVideo } from '../kit/journey.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import { waitUntilRescheduled } from '../kit/wait-until-rescheduled.ts';

let journey: Journey;
let video: ResultSource;
let lastFrame: ResultSource | undefined;
before(async () => {
  journey = await startJourney({
    script: () => ({
      status: [{ outcome: 'completed', video, ...(lastFrame ? { lastFrame } : {}) }],
    }),
    environment: { VIDGEN_ALLOWED_NETWORKS: '127.0.0.1/32' },
  });
});
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
});

/** The tries between the first and the last take two minutes. */
async function skipToLastAttempt(taskId: string): Promise<void> {
  const { db } = journey.service;
  const skip = 'update attempts set uncollected = 7 where task_id = $1 and uncollected > 0';
  while ((await db.query(skip, [taskId])).rowCount === 0) await sleep(20);
  await runNow(taskId, { attempts: 1 });
}

/** Its next look is now, as if so many looks before it had come to nothing. */
async function runNow(taskId: string, { attempts }: { attempts: number }): Promise<void> {
  const now = `update jobs set attempts = $2, run_at = now()
    where task_id = $1 and kind = 'poll' and lease_until is null and run_at > now()`;
  const { db } = journey.service;
  while ((await db.query(now, [taskId, attempts])).rowCount === 0) await sleep(20);
}

async function lossOf(taskId: string): Promise<string | null> {
  const { body } = await journey.service.admin.get(`/admin/tasks/${taskId}`);
  return (body.attempts as { loss: string | null }[])[0]!.loss;
}

test('it fails after eight tries, refunded and without the upstream’s words', async () => {
  let downloads = 0;
  const download = async () => {
    downloads += 1;
    return { saved: false, detail: 'HTTP 404 of the upstream' } as const;
  };
  video = { download };
  const { client, id } = await journey.service.account({ live: 100 });
  const { body: created } = await client.create(textToVideo);
  const taskId = created.taskId as string;
  while (downloads === 0) await sleep(20);
  await runNow(taskId, { attempts: 9 });
  while (downloads === 1) await sleep(20);
  await waitUntilRescheduled(journey.service.db, taskId);
  const { status } = await client.task(taskId);
  assert.equal(status, 'generating', 'twice is no failure, whatever went wrong before');
  const before = downloads;
  await skipToLastAttempt(taskId);
  const final = await client.final(taskId);
  assert.equal(downloads, before + 1, 'it was tried again');
  assert.deepEqual([final.status, final.failed_reason], ['failed', 'provider_failed']);
  assert.ok(!JSON.stringify(final).includes('upstream'));
  assert.match((await lossOf(taskId)) ?? '', /completed at the provider/);
  assert.equal((await balanceOf(journey.service, id)).live.available, 100);
});

test('one that leads to a host that must not be reached is not fetched from there', async () => {
  const [privateServer, upstream] = [createServer(), createServer()];
  let [reached, requests] = [0, 0];
  privateServer.on('connection', () => (reached += 1));
  await once(privateServer.listen(0, '127.0.0.2'), 'listening');
  const location = `http://127.0.0.2:${(privateServer.address() as AddressInfo).port}/secrets`;
  upstream.on('request', (_request, response) => {
    requests += 1;
    response.writeHead(302, { location }).end();
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  video = { url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/result.mp4` };

  const { client, id } = await journey.service.account({ live: 100 });
  const { body: created } = await client.create(textToVideo);
  const taskId = created.taskId as string;
  while (requests === 0) await sleep(20);
  await skipToLastAttempt(taskId);
  const final = await client.final(taskId);
  assert.deepEqual([final.status, final.failed_reason], ['failed', 'provider_failed']);
  assert.equal((await balanceOf(journey.service, id)).live.available, 100);
  assert.equal(reached, 0);
  upstream.close();
  privateServer.close();
});

test('a page is no video, whatever its address says', async () => {
  const proxy = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please wait</h1>');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  video = { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/result.mp4` };
  const { client, id } = await journey.service.account({ live: 100 });
  const { body: created } = await client.create(textToVideo);
  const taskId = created.taskId as string;
  await skipToLastAttempt(taskId);
  assert.equal((await client.final(taskId)).failed_reason, 'provider_failed');
  assert.equal((await balanceOf(journey.service, id)).live.available, 100);
  proxy.close();
});

test('a disk of ours that is full costs nobody the video: it waits for room', async () => {
  let [downloads, isFull] = [0, true];
  video = {
    download: async ({ into }) => {
      downloads += 1;
      if (isFull) throw new Error('ENOSPC: no space left on device');
      await copyFile(resultVideoPath, into);
      return { saved: true };
    },
  };
  const { client } = await journey.service.account({ live: 100 });
  const { body: created } = await client.create(textToVideo);
  const taskId = created.taskId as string;
  // Two more tries than a provider that gives nothing has.
  for (let tries = 1; tries <= 10; tries += 1) {
    while (downloads < tries) await sleep(20);
    if (tries === 10) isFull = false;
    await runNow(taskId, { attempts: 1 });
  }
  assert.equal((await client.final(taskId)).status, 'completed');
  assert.equal(await lossOf(taskId), null);
});

test('a last frame that cannot be fetched does not cost the customer the video', async () => {
  video = {
    download: async ({ into }) => {
      await copyFile(resultVideoPath, into);
      return { saved: true };
    },
  };
  lastFrame = { download: async () => ({ saved: false, detail: 'HTTP 403' }) };
  const { client } = await journey.service.account({ live: 100 });
  const input = { ...textToVideo.input, return_last_frame: true };
  const { body: created } = await client.create({ ...textToVideo, input });
  const task = await client.final(created.taskId as string);
  assert.equal(task.status, 'completed');
  assert.equal(task.data?.results.length, 1);
  assert.equal(task.data?.last_frame_url, null);
});
