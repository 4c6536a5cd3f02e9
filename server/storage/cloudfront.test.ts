/** URLs of the distribution are signed for one file and end in time. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startFakeS3 } from '../../proof/kit/fake-s3.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { unixSeconds } from '../process/clock.ts';
import { openCloudFront, parseCdnUrl } from './cloudfront.ts';
import { openStorage } from './open-storage.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyFile = join(makeTemporaryFolder('cloudfront'), 'key.pem');
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
const settings = parseCdnUrl(`https://d111.cloudfront.net/?key_id=K2TEST&key_file=${keyFile}`);
const file = { key: 'task_1/1/video.mp4', method: 'GET', fileName: 'task_1.mp4' } as const;

test('signs the canned policy of the file and its end', async () => {
  const presign = await openCloudFront(settings, 'production/');
  const before = unixSeconds();
  const url = new URL(await presign({ ...file, seconds: 300 }));
  const resource = 'https://d111.cloudfront.net/production/task_1/1/video.mp4';
  assert.equal(url.origin + url.pathname, resource);
  const expires = Number(url.searchParams.get('Expires'));
  assert(expires >= before + 300 && expires <= unixSeconds() + 300);
  assert.equal(url.searchParams.get('Key-Pair-Id'), 'K2TEST');
  const encoded = url.searchParams.get('Signature')!;
  assert.match(encoded, /^[\w~-]+$/);
  const base64 = encoded.replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/');
  const policy = (end: number) =>
    `{"Statement":[{"Resource":"${resource}",` +
    `"Condition":{"DateLessThan":{"AWS:EpochTime":${end}}}}]}`;
  const isSigned = (text: string) =>
    verify('sha1', Buffer.from(text), publicKey, Buffer.from(base64, 'base64'));
  assert(isSigned(policy(expires)));
  assert(!isSigned(policy(expires + 1)));
});

test('replaces the URLs of the bucket', async () => {
  const fake = await startFakeS3();
  after(() => fake.close());
  const { presign, publicOrigin, close } = await openStorage({
    url: fake.url('production'),
    cdnUrl: `https://d111.cloudfront.net?key_id=K2TEST&key_file=${keyFile}`,
    folder: '',
    credentials: fake.environment,
    owner: 'tests',
  });
  after(close);
  assert.equal(publicOrigin, 'https://d111.cloudfront.net');
  const url = await presign!({ ...file, seconds: 60 });
  assert(url.startsWith('https://d111.cloudfront.net/production/task_1/1/video.mp4?Expires='));
});

test('refuses a missing key, and a URL without one', async () => {
  const missing = { ...settings, keyFile: '/no/such/key.pem' };
  await assert.rejects(openCloudFront(missing, ''), /VIDGEN_STORAGE_CDN_URL: .*set key_file/);
  for (const url of ['https://cdn.example.com', 'https://cdn.example.com?key_id=K2']) {
    assert.throws(() => parseCdnUrl(url), /must have key_id and key_file/);
  }
});
