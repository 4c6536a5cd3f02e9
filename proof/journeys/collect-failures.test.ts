/**
 * A completed video that cannot be downloaded is retried, then the task is refunded.
 * Thorough: waits for retries.
 */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import { saveStream } from '../../server/egress/save-stream.ts';
import type { DownloadFile, ResultSource } from '../../server/providers/provider.ts';
import { createTask, useJourney } from '../kit/journey.ts';
import { startLocalServer } from '../kit/local-server.ts';
import { resultVideoPath } from '../kit/result-server.ts';
import { waitUntil, waitUntilRescheduled } from '../kit/wait-until.ts';

let video: ResultSource;
let lastFrame: ResultSource | undefined;
const journey = await useJourney({
  script: () => ({
    status: [{ outcome: 'completed', video, ...(lastFrame ? { lastFrame } : {}) }],
  }),
  environment: { VIDGEN_ALLOWED_NETWORKS: '127.0.0.1/32' },
});

/** Skips the attempts in between, which take two minutes. */
async function skipToLastAttempt(taskId: string): Promise<void> {
  const { db } = journey.service;
  const skip = 'update attempts set uncollected = 7 where task_id = $1 and uncollected > 0';
  await waitUntil(async () => (await db.query(skip, [taskId])).rowCount !== 0);
  await runNow(taskId, { attempts: 1 });
}

/** Makes the next poll due now, after a number of failed ones. */
async function runNow(taskId: string, { attempts }: { attempts: number }): Promise<void> {
  const now = `update jobs set attempts = $2, run_at = now()
    where task_id = $1 and kind = 'poll' and lease_until is null and run_at > now()`;
  const { db } = journey.service;
  await waitUntil(async () => (await db.query(now, [taskId, attempts])).rowCount !== 0);
}

const copyResult: DownloadFile = async ({ into }) => {
  return { saved: true, bytes: await saveStream(createReadStream(resultVideoPath), into) };
};

async function lossOf(taskId: string): Promise<string | null> {
  const { body } = await journey.service.admin.get(`/admin/tasks/${taskId}`);
  return (body.attempts as { loss: string | null }[])[0]!.loss;
}

test('fails after eight attempts, refunds, and shows none of the upstream’s messages', async () => {
  let downloads = 0;
  const download = async () => {
    downloads += 1;
    return { saved: false, detail: 'HTTP 404 of the upstream' } as const;
  };
  video = { download };
  const { client, taskId, final, available } = await createTask(journey.service);
  await waitUntil(() => downloads > 0);
  await runNow(taskId, { attempts: 9 });
  await waitUntil(() => downloads > 1);
  await waitUntilRescheduled(journey.service.db, taskId);
  const { status } = await client.task(taskId);
  assert.equal(status, 'generating', 'twice is no failure, whatever went wrong before');
  const before = downloads;
  await skipToLastAttempt(taskId);
  const end = await final();
  assert.equal(downloads, before + 1, 'it was tried again');
  assert.deepEqual([end.status, end.failed_reason], ['failed', 'provider_failed']);
  assert.ok(!JSON.stringify(end).includes('upstream'));
  assert.match((await lossOf(taskId)) ?? '', /completed at the provider/);
  assert.equal(await available(), 100);
});

test('does not accept an HTML page as a video', async () => {
  const proxy = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please wait</h1>');
  });
  video = { url: `${proxy.origin}/result.mp4` };
  const { taskId, final, available } = await createTask(journey.service);
  await skipToLastAttempt(taskId);
  assert.equal((await final()).failed_reason, 'provider_failed');
  assert.equal(await available(), 100);
  await proxy.close();
});

test('completes a task whose last frame cannot be downloaded', async () => {
  video = { download: copyResult };
  lastFrame = { download: async () => ({ saved: false, detail: 'HTTP 403' }) };
  const { final } = await createTask(journey.service, { input: { return_last_frame: true } });
  const task = await final();
  assert.equal(task.status, 'completed');
  assert.equal(task.data?.results.length, 1);
  assert.equal(task.data?.last_frame_url, null);
});
