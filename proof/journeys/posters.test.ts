/**
 * Posters from the collected video to its expiry, on disk and in a bucket.
 * Thorough: renders videos; `providers/posters` is tested in every run.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AdminTask } from '@vidgen/contract/admin-tasks.ts';
import { sweepResults } from '../../server/lifecycle/upkeep/sweep.ts';
import { listResultKeys } from '../../server/tasks/store.ts';
import { startFakeS3 } from '../kit/fake-s3.ts';
import { createTask, type Journey, startJourney } from '../kit/journey.ts';
import { makeTemporaryFolder } from '../kit/temporary-folder.ts';
import { waitUntil } from '../kit/wait-until.ts';

const fake = await startFakeS3();
after(() => fake.close());
const environment = { VIDGEN_POSTERS: 'on' };

const filesOf = ({ service }: Journey, taskId: string) =>
  Array.fromAsync(service.parts.lifecycle.storage.list(`${taskId}/`), ({ key }) => key);

async function adminTask({ service }: Journey, taskId: string): Promise<AdminTask> {
  return AdminTask.parse((await service.admin.get(`/admin/tasks/${taskId}`)).body);
}

for (const { store, bucket } of [
  { store: 'on disk', bucket: {} },
  { store: 'in a bucket', bucket: { VIDGEN_STORAGE_URL: fake.url('p'), ...fake.environment } },
]) {
  test(`${store}: serves the poster by a signed URL, and deletes it with its task`, async () => {
    await using journey = await startJourney({
      script: { status: ['completed'] },
      environment: { ...environment, ...bucket },
    });
    const { service } = journey;
    const { taskId, final, account } = await createTask(service);
    await final();
    const poster = `${taskId}/1/poster.jpg`;
    const { poster_url: url } = await adminTask(journey, taskId);
    const response = await fetch(url!);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/jpeg']);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert(bytes.length < 60_000 && bytes.readUInt16BE(0) === 0xffd8);
    assert.equal((await fetch(url!.replace('signature=', 'signature=x'))).status, 404);
    assert.equal((await fetch(url!.replace('poster.jpg', 'other.jpg'))).status, 404);
    const thumbnailFor = (key: string) =>
      fetch(`${service.url}/v1/videos/${taskId}/content?variant=thumbnail`, {
        headers: { authorization: `Bearer ${key}` },
      });
    const thumbnail = await thumbnailFor(account.key);
    assert.deepEqual(Buffer.from(await thumbnail.arrayBuffer()), bytes);
    assert.equal((await thumbnailFor((await service.account()).key)).status, 404);
    assert((await Array.fromAsync(listResultKeys(service.db))).includes(poster));
    const second = await createTask(service);
    await second.final();
    const { poster_url: deletedUrl } = await adminTask(journey, second.taskId);
    await second.client.send('DELETE', `/v1/tasks/${second.taskId}`);
    assert.equal((await fetch(deletedUrl!)).status, 404);
    assert.deepEqual(await filesOf(journey, second.taskId), []);
    const files = await filesOf(journey, taskId);
    await sweepResults(service.parts.lifecycle, { olderThanMs: -60_000 });
    assert.deepEqual(await filesOf(journey, taskId), files);
    await service.db.query(
      `with task as (update tasks set expires_at = now() where id = $1)
       update jobs set run_at = now() where task_id = $1`,
      [taskId],
    );
    assert.equal((await fetch(url!)).status, 404);
    assert.equal((await adminTask(journey, taskId)).poster_url, null);
    await waitUntil(async () => (await filesOf(journey, taskId)).length === 0);
    await service.assertInvariants();
  });
}

test('completes and charges a task whose video is no video, without a poster', async () => {
  const folder = makeTemporaryFolder('test-damaged');
  const file = join(folder, 'damaged.mp4');
  await writeFile(file, Buffer.concat([Buffer.from('\0\0\0 ftypisom'), Buffer.alloc(5000)]));
  await using journey = await startJourney({
    script: { status: [{ outcome: 'completed', video: { file } }] },
    environment,
  });
  const { taskId, final } = await createTask(journey.service);
  assert.equal((await final()).status, 'completed');
  assert.equal((await adminTask(journey, taskId)).poster_url, null);
  assert.deepEqual(await filesOf(journey, taskId), [`${taskId}/1/video.mp4`]);
  await journey.service.assertInvariants();
});
