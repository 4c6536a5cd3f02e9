/** The URL of a bucket is parsed completely or rejected with what is wrong; never with a secret. */
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
import { parseS3Url, placeOf, s3Location } from './s3-settings.ts';

test('parses bucket, prefix, region, endpoints and style', () => {
  const endpoint = 'https://s3.example.com:9000';
  const url = `s3://videos/a/b?region=eu-west-1&endpoint=${endpoint}&path_style=true`;
  const settings = parseS3Url(url);
  assert.deepEqual(settings, {
    bucket: 'videos',
    prefix: 'a/b/',
    region: 'eu-west-1',
    endpoint,
    publicEndpoint: endpoint,
    isPathStyle: true,
  });
  assert.equal(placeOf(settings), 's3://videos/a/b/');
  assert.deepEqual(s3Location(settings, endpoint), {
    origin: endpoint,
    host: 's3.example.com:9000',
    basePath: '/videos',
  });
  const open = parseS3Url(`${url}&public_endpoint=https://files.example.com`);
  assert.equal(open.publicEndpoint, 'https://files.example.com');
});

test('is AWS without an endpoint, with the bucket in the host name', () => {
  const settings = parseS3Url('s3://videos?region=eu-central-1');
  assert.equal(settings.prefix, '');
  assert.equal(
    s3Location(settings, settings.endpoint).origin,
    'https://videos.s3.eu-central-1.amazonaws.com',
  );
});

test('says what is wrong', () => {
  for (const [url, message] of [
    ['https://videos', /^must be s3:/],
    ['s3://', /must name a bucket|must be s3:/],
    ['s3://AKID:secret@videos', /must have no credentials/],
    ['s3://videos?secret=1', /must have no parameter secret/],
    ['s3://videos/a/../.b', /must have a prefix of/],
    ['s3://videos/a%20b', /must have a prefix of/],
    ['s3://videos?path_style=yes', /path_style=true or path_style=false/],
    ['s3://videos?region=a/b', /must have a region/],
    ['s3://videos?endpoint=s3.example.com', /must have endpoint of scheme/],
    ['s3://videos?endpoint=https://s3.example.com/path', /of scheme, host and port/],
    ['s3://videos?public_endpoint=ftp://x', /public_endpoint of scheme, host and port/],
  ] as const) {
    assert.throws(
      () => parseS3Url(url),
      (error: Error) => message.test(error.message) && !error.message.includes('AKID'),
      url,
    );
  }
});

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
