/**
 * A bucket that fails, with a fake that checks every signature.
 * Thorough: stores videos in parts under every fault, and waits for retries.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeS3 } from '../../kit/fake-s3.ts';
import { createTask } from '../../kit/journey.ts';
import { describeBucketFaults, video } from './describe-bucket-faults.ts';

const fake = await startFakeS3();
const [id, secret] = [...fake.keys][0]!;
const service = await describeBucketFaults({
  url: fake.url('videos'),
  key: { id, secret },
  faults: fake,
  read: async (key) => fake.objects.get(key)?.body ?? null,
  countUploads: async () => fake.uploads.size,
  async rotate(key) {
    fake.keys.clear();
    fake.keys.set(key.id, key.secret);
  },
});
after(() => fake.close());

test('a clock that is an hour off stores and serves like any other', async () => {
  fake.clockOffsetMs = 3600_000;
  const { taskId, final } = await createTask(service);
  const [url] = (await final()).data!.results;
  assert.deepEqual(fake.objects.get(`videos/${taskId}/1/video.mp4`)?.body, video);
  const served = await fetch(url!, { headers: { range: 'bytes=5-9' } });
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), video.subarray(5, 10));
});
