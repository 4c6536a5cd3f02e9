/**
 * After `video_expires_at` the result is gone from the response, from its URL and from the disk.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
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
