/**
 * A result expires during its download.
 * Thorough: waits for a slow download.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startJourney, textToVideo } from '../../kit/journey.ts';

/** More than socket buffers hold: most of it is unread when the file is deleted. */
const videoBytes = 48 * 1024 * 1024;

test('a download that began before the expiry is complete; a later one gets 404', async () => {
  const { service, close } = await startJourney();
  try {
    const { client } = await service.account({ live: 100 });
    const { body } = await client.create(textToVideo);
    const taskId = body.taskId as string;
    const { data } = await client.final(taskId);
    const url = data!.results[0]!;
    const file = join(service.home, 'results', taskId, '1', 'video.mp4');
    const video = randomBytes(videoBytes);
    await writeFile(file, video);

    const [response] = (await once(get(url), 'response')) as [IncomingMessage];
    await once(response, 'readable');
    await service.db.query('update tasks set expires_at = now() where id = $1', [taskId]);
    assert.deepEqual((await client.task(taskId)).data!.results, []);
    assert.equal((await fetch(url)).status, 404);
    await service.db.query(
      `update jobs set run_at = now(), ready = true where task_id = $1 and kind = 'expire'`,
      [taskId],
    );
    while (existsSync(file)) await wait(20);

    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    assert.equal(response.statusCode, 200);
    assert.ok(Buffer.concat(chunks).equals(video), 'every byte of it');
    assert.equal((await fetch(url)).status, 404);
    await service.assertInvariants();
  } finally {
    await close();
  }
});
