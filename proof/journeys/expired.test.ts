/**
 * After `video_expires_at` the result is gone from the response, from its URL and from the disk.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTask, startJourney } from '../kit/journey.ts';

/** Expiry sends no signal; polling without a pause would use up the key's rate limit. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

test('an expired result is gone: no URLs in the response, 404, no files', async () => {
  await using journey = await startJourney({ environment: { VIDGEN_RESULT_TTL: '6s' } });
  const { service } = journey;
  const { client, taskId, final } = await createTask(service, {
    input: { return_last_frame: true },
  });
  const completed = await final();
  const [url] = completed.data!.results;
  assert.ok(url);
  let task = completed;
  while (task.data!.results.length > 0) {
    await pause();
    task = await client.task(taskId);
  }
  assert.equal(task.status, 'completed');
  assert.equal(task.billing_status, 'charged');
  assert.deepEqual(task.data, { ...completed.data, results: [], last_frame_url: null });
  assert.equal((await fetch(url)).status, 404);
  const files = async () => await readdir(join(service.home, 'results'), { recursive: true });
  while ((await files()).some((file) => file.endsWith('.mp4'))) await pause();
  await service.assertInvariants();
});

/** More than socket buffers hold: most of it is unread when the file is deleted. */
const videoBytes = 48 * 1024 * 1024;

test('a download that began before the expiry is complete; a later one gets 404', async () => {
  await using journey = await startJourney();
  const { service } = journey;
  const { taskId, client, final } = await createTask(service);
  const [url] = (await final()).data!.results;
  const file = join(service.home, 'results', taskId, '1', 'video.mp4');
  const video = randomBytes(videoBytes);
  await writeFile(file, video);
  const [response] = (await once(get(url!), 'response')) as [IncomingMessage];
  await once(response, 'readable');
  await service.db.query('update tasks set expires_at = now() where id = $1', [taskId]);
  assert.deepEqual((await client.task(taskId)).data!.results, []);
  await service.db.query(
    `update jobs set run_at = now(), ready = true where task_id = $1 and kind = 'expire'`,
    [taskId],
  );
  while (existsSync(file)) await pause();
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  assert.ok(Buffer.concat(chunks).equals(video), 'every byte of it');
  assert.equal((await fetch(url!)).status, 404);
});
