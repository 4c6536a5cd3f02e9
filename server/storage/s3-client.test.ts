/**
 * A bucket keeps what every store guarantees, and the client survives what networks, stores, clocks
 * and rotated credentials do to a request.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, beforeEach, test } from 'node:test';
import type { S3Fault } from '../../proof/kit/fake-s3.ts';
import { startFakeS3 } from '../../proof/kit/fake-s3.ts';
import { startLocalServer } from '../../proof/kit/local-server.ts';
import { describeStorage } from '../../proof/kit/storage-conformance.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import { openStorage } from './open-storage.ts';
import { createS3Storage } from './s3-bucket.ts';
import { createS3Client } from './s3-client.ts';
import { type CredentialSource, createCredentialSource } from './s3-credentials.ts';
import { parseS3Url } from './s3-settings.ts';

const fake = await startFakeS3();
after(() => fake.close());
const partBytes = 10_000;
const settings = parseS3Url(fake.url('some/prefix'));
const small = randomBytes(100);
const large = randomBytes(3 * partBytes + 1);
const folder = makeTemporaryFolder('s3');

const open = (credentials: CredentialSource = createCredentialSource(fake.environment)) => {
  const options = { settings, credentials, partBytes, retryDelayMs: 1, inactivityMs: 2_000 };
  const client = createS3Client(options);
  after(() => client.close());
  return client;
};
const client = open();
const contentOf = async function* (content: Buffer) {
  yield content;
};
const put = (content: Buffer, isNew = false) =>
  client.put({ key: 'video.mp4', content: contentOf(content), isNew });
const stored = () => fake.objects.get('some/prefix/video.mp4')?.body;

/** The fault hits the first request of the operation only. */
const failOnce = (operation: string, fault: S3Fault) => {
  let isDone = false;
  fake.fault = (request) => {
    if (isDone || request.operation !== operation) return null;
    isDone = true;
    return fault;
  };
};

function clear(): void {
  fake.objects.clear();
  fake.uploads.clear();
  fake.rejections.length = 0;
  Object.assign(fake, { fault: () => null, clockOffsetMs: 0, sessionToken: null });
}
beforeEach(clear);

const failingWith = (fault: S3Fault) => async () => {
  fake.fault = () => fault;
};

describeStorage('a bucket', {
  async open() {
    clear();
    return createS3Storage(client);
  },
  async leftovers() {
    const uploads = [...fake.uploads.values()].map(({ key }) => `${key} (parts)`);
    return [...fake.objects.keys(), ...uploads]
      .map((key) => key.slice(settings.prefix.length))
      .sort();
  },
  async interruptPut(key) {
    fake.uploads.set('abandoned', {
      key: settings.prefix + key,
      startedAt: new Date(),
      headers: {},
      parts: new Map([[1, Buffer.from('half')]]),
    });
  },
  partBytes,
  failing: {
    not_allowed: failingWith({ status: 403, code: 'AccessDenied' }),
    throttled: failingWith({ status: 503, code: 'SlowDown' }),
    full: failingWith({ status: 507, code: 'InsufficientStorage' }),
    unreachable: failingWith('reset'),
  },
});

const faults: readonly S3Fault[] = [
  { status: 503, code: 'SlowDown' },
  { status: 500, code: 'InternalError' },
  'reset',
  'lost-response',
];

test('stores once and leaves nothing behind, whichever request fails once', async () => {
  const operations = ['UploadPart', 'CompleteMultipartUpload', 'HeadObject', 'PutObject'];
  for (const isNew of [false, true]) {
    for (const operation of operations) {
      for (const fault of faults) {
        fake.objects.clear();
        failOnce(operation, fault);
        const content = operation === 'PutObject' ? small : large;
        assert.equal((await put(content, isNew)).bytes, content.length);
        const what = `${operation} ${JSON.stringify(fault)}`;
        assert.deepEqual(stored(), content, what);
        assert.equal(fake.uploads.size, 0, what);
      }
    }
  }
});

test('deletes its parts when the store fails for good', async () => {
  for (const operation of ['UploadPart', 'CompleteMultipartUpload']) {
    for (const code of ['AccessDenied', 'QuotaExceeded']) {
      fake.fault = (request) => (request.operation === operation ? { status: 403, code } : null);
      await assert.rejects(put(large), { code });
      assert.deepEqual([fake.objects.size, fake.uploads.size], [0, 0]);
    }
  }
});

test('an error in the body of a successful response is an error', async () => {
  failOnce('CompleteMultipartUpload', { status: 200, code: 'InternalError' });
  await assert.rejects(put(large), { code: 'InternalError' });
  assert.deepEqual([fake.objects.size, fake.uploads.size], [0, 0]);
});

test('stores eight files at a time, and a put can be given up while it waits', async () => {
  let begun = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = async function* () {
    begun += 1;
    await promise;
    yield small;
  };
  const puts = Array.from({ length: 9 }, (_, at) => {
    return client.put({ key: `task_${at}`, content: held() });
  });
  const abort = new AbortController();
  const waiting = client.put({ key: 'task_given_up', content: held(), signal: abort.signal });
  abort.abort(new Error('given up'));
  await assert.rejects(waiting, /given up/);
  assert.equal(begun, 8);
  resolve();
  await Promise.all(puts);
  assert.deepEqual([begun, fake.objects.size], [9, 9]);
});

test('gives up on a store that is silent', async () => {
  failOnce('PutObject', 'silent');
  const credentials = createCredentialSource(fake.environment);
  const silent = createS3Client({ settings, credentials, retryDelayMs: 1, inactivityMs: 20 });
  after(() => silent.close());
  await silent.put({ key: 'video.mp4', content: contentOf(small) });
  assert.deepEqual(stored(), small);
});

test('continues a read that breaks off, and never mixes two versions', async () => {
  const key = 'task_1/1/video.mp4';
  const storage = createS3Storage(client);
  const content = randomBytes(1_000_000);
  await storage.put({ key, contentType: 'video/mp4', content: contentOf(content) });
  failOnce('GetObject', 'cut-response');
  assert.deepEqual(await buffer((await storage.open(key))!.read()), content);
  const before = (await storage.open(key))!;
  await storage.put({ key, contentType: 'video/mp4', content: contentOf(large) });
  await assert.rejects(buffer(before.read()), { kind: 'not_found' });
});

test('corrects its clock by that of the store', async () => {
  fake.clockOffsetMs = 3600_000;
  const skewed = open();
  await skewed.put({ key: 'video.mp4', content: contentOf(small) });
  assert.deepEqual(stored(), small);
  const url = await skewed.presign({ method: 'GET', key: 'video.mp4', seconds: 60, query: {} });
  assert.equal((await fetch(url)).status, 200);
  assert.equal(fake.rejections.length, 1);
  // The response to HEAD has no body, and so no code.
  fake.clockOffsetMs = 0;
  assert.equal((await skewed.head('video.mp4'))?.bytes, small.length);
  assert.equal(fake.rejections.length, 2);
});

test('uses rotated credentials of a file without a restart', async () => {
  const file = join(folder, 'credentials');
  const write = (id: string, secret: string) => {
    const keys = [`aws_access_key_id = ${id}`, `aws_secret_access_key=${secret}`];
    const lines = ['[other]', 'aws_access_key_id = X', '[vidgen]', ...keys, ''];
    return writeFile(file, lines.join('\n'));
  };
  const environment = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'vidgen' };
  fake.keys.set('AKONE', 'the first secret key').set('AKTWO', 'the second secret key');
  await write('AKONE', 'the first secret key');
  const rotating = open(createCredentialSource(environment));
  const content = () => contentOf(small);
  await rotating.put({ key: 'one', content: content() });
  fake.keys.delete('AKONE');
  await assert.rejects(rotating.put({ key: 'two', content: content() }), {
    kind: 'not_allowed',
    code: 'InvalidAccessKeyId',
  });
  await write('AKTWO', 'the second secret key');
  await rotating.put({ key: 'two', content: content() });
  assert.equal(fake.objects.size, 2);
});

test('takes credentials of a container, and new ones when they are refused', async () => {
  let issued = 0;
  const container = await startLocalServer((request, response) => {
    assert.equal(request.headers.authorization, 'a container token');
    issued += 1;
    fake.sessionToken = `session ${issued}`;
    const [AccessKeyId, SecretAccessKey] = [...fake.keys][0]!;
    const Expiration = new Date(Date.now() + 3600_000).toISOString();
    response.end(
      JSON.stringify({ AccessKeyId, SecretAccessKey, Token: fake.sessionToken, Expiration }),
    );
  });
  after(() => container.close());
  const temporary = open(
    createCredentialSource({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${container.origin}/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'a container token',
    }),
  );
  await temporary.put({ key: 'one', content: contentOf(small) });
  await temporary.put({ key: 'two', content: contentOf(small) });
  assert.equal(issued, 1);
  fake.sessionToken = 'revoked';
  await temporary.put({ key: 'three', content: contentOf(small) });
  assert.equal(issued, 2);
});

test('says how to remedy wrong settings', async () => {
  const wrongRegion = createS3Client({
    settings: { ...settings, region: 'us-east-1' },
    credentials: createCredentialSource(fake.environment),
  });
  after(() => wrongRegion.close());
  await assert.rejects(wrongRegion.head('x'), { kind: 'not_allowed' });
  const listed = Array.fromAsync(wrongRegion.list(''));
  await assert.rejects(listed, /set the region of VIDGEN_STORAGE_URL to that of the bucket/);
  const other = { ...settings, bucket: 'missing' };
  const noBucket = createS3Client({
    settings: other,
    credentials: createCredentialSource(fake.environment),
  });
  after(() => noBucket.close());
  await assert.rejects(noBucket.get('x'), /create the bucket, or correct its name/);
  const none = createCredentialSource({ AWS_SHARED_CREDENTIALS_FILE: join(folder, 'missing') });
  await assert.rejects(open(none).head('x'), /set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
});

test('counts bytes and errors by operation and kind', async () => {
  const options = { url: fake.url(), cdnUrl: null, folder: '', owner: 'tests' };
  const { storage, counts, close } = await openStorage({
    ...options,
    credentials: fake.environment,
  });
  after(close);
  const key = 'task_1/1/video.mp4';
  const putOne = () =>
    storage.put({ key, contentType: 'video/mp4', content: contentOf(Buffer.from('0123456789')) });
  await putOne();
  const file = (await storage.open(key))!;
  assert.equal((await buffer(file.read({ start: 2, end: 4 }))).toString(), '234');
  assert.deepEqual(counts.bytes, { put: 10, read: 3 });
  assert.deepEqual(counts.errors(), []);
  fake.fault = () => ({ status: 403, code: 'AccessDenied' });
  await assert.rejects(putOne());
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
