/** Results as materials: only by the exact URLs that we signed, and while the task has the file. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { createEgress } from '../egress/egress.ts';
import { openDiskStorage } from './disk.ts';
import { createLocalResults, withLocalUploads } from './local-uploads.ts';
import { signUrl } from './signed-url.ts';

const folder = makeTemporaryFolder('results');
const storage = await openDiskStorage(join(folder, 'store'));
const secret = 'a secret of sixteen or more';
const publicUrl = 'http://127.0.0.1:8787/';
const taskId = 'task_01kbwq3n7he9rv5t2m8xz4c6da';
const key = `${taskId}/2/video.mp4`;
const file = join(folder, 'video');
await writeFile(file, 'a video');
await storage.put({ key, file, contentType: 'video/mp4' });

const resultsAt = (nowSeconds: number) =>
  createLocalResults({
    storage,
    secret,
    publicUrl: () => publicUrl,
    nowSeconds: () => nowSeconds,
    findKey: async (asked) => (asked.taskId === taskId && asked.name === 'video.mp4' ? key : null),
  });
const urlOf = (name: string, of = secret) =>
  signUrl({ publicUrl, secret: of, taskId, name, expiresAt: new Date(1_000_000) });
const limits = { kind: 'material', deadlineMs: 2000, bytesMax: 1000 } as const;

test('a signed result is read from storage, by the key of its attempt', async () => {
  const egress = withLocalUploads(createEgress({ allowedNetworks: [] }), resultsAt(999));
  const url = urlOf('video.mp4');
  assert.equal(egress.check(url, 'material').ok, true);
  assert.equal(egress.check(url, 'callback').ok, false);
  const into = join(folder, 'saved');
  const saved = await egress.download({ url, into, ...limits });
  assert.deepEqual(saved, { outcome: 'saved', bytes: 7, contentType: 'video/mp4' });
  const gone = await egress.download({ url: urlOf('other.mp4'), into, ...limits });
  assert.deepEqual(gone, { outcome: 'response', status: 404 });
});

test('an expired result is rejected, and a changed URL is not ours', () => {
  const url = urlOf('video.mp4');
  assert.equal(resultsAt(1001).parseUrl(url)?.isExpired, true);
  const egress = withLocalUploads(createEgress({ allowedNetworks: [] }), resultsAt(1001));
  assert.equal(egress.check(url, 'material').ok, false);
  const changed = [
    url.replace('expires=1000', 'expires=2000'),
    url.replace('video.mp4', 'frame.jpg'),
    url.replace(':8787', ':8788'),
    url.replace('/results/', '/results/../results/'),
    `${url}&more=1`,
    urlOf('video.mp4', `${secret} too`),
  ];
  for (const other of changed) assert.equal(resultsAt(999).parseUrl(other), null, other);
});
