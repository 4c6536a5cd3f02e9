import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startFakeS3 } from '../../proof/kit/fake-s3.ts';
import { openStorage } from './open-storage.ts';

test('counts bytes and errors by operation and kind', async () => {
  const fake = await startFakeS3();
  after(() => fake.close());
  const { storage, counts, close } = await openStorage({
    url: fake.url(),
    cdnUrl: null,
    folder: '',
    credentials: fake.environment,
    owner: 'tests',
  });
  after(close);
  const [key, contentType] = ['task_1/1/video.mp4', 'video/mp4'];
  const content = async function* () {
    yield Buffer.from('0123456789');
  };
  await storage.put({ key, contentType, content: content() });
  const file = (await storage.open(key))!;
  assert.equal((await buffer(file.read({ start: 2, end: 4 }))).toString(), '234');
  assert.deepEqual(counts.bytes, { put: 10, read: 3 });
  assert.deepEqual(counts.errors(), []);
  fake.fault = () => ({ status: 403, code: 'AccessDenied' });
  await assert.rejects(storage.put({ key, contentType, content: content() }));
  await assert.rejects(storage.remove([key, key]));
  await assert.rejects(Array.fromAsync(storage.list('')));
  await assert.rejects(storage.open(key));
  await assert.rejects(buffer(file.read()));
  const expected = ['put', 'remove', 'list', 'open', 'read'];
  assert.deepEqual(
    counts.errors(),
    expected.map((operation) => ({ operation, kind: 'not_allowed', count: 1 })),
  );
});
