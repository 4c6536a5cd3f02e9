/**
 * A real S3 server accepts every request of the client, and keeps what every store guarantees.
 *
 * Thorough: starts Ceph, and installs it in a folder of the cache the first time.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { type Ceph, startCeph } from '../../proof/kit/ceph.ts';
import { describeStorage } from '../../proof/kit/storage-conformance.ts';
import { createS3Storage } from './s3.ts';
import { createS3Client } from './s3-client.ts';
import { S3Connection } from './s3-request.ts';
import { parseS3Url } from './s3-settings.ts';

const ceph = await startCeph();
const skip = 'reason' in ceph ? ceph.reason : false;

describe('Ceph', { skip }, async () => {
  if (!('reason' in ceph)) await describeCeph(ceph);
});

async function describeCeph(store: Ceph): Promise<void> {
  const { endpoint, accessKeyId, secretAccessKey } = store;
  let secret = secretAccessKey;
  const credentials = async () => ({ accessKeyId, secretAccessKey: secret, sessionToken: null });
  const query = `region=us-east-1&endpoint=${endpoint}&path_style=true`;
  const settings = parseS3Url(`s3://conformance/some/prefix?${query}`);
  const partBytes = 5 * 1024 ** 2;
  const options = { settings, credentials, partBytes };
  const connection = new S3Connection(options);
  const client = createS3Client(options);
  await connection.send({ operation: 'CreateBucket', method: 'PUT', key: null });
  after(async () => {
    client.close();
    connection.close();
    await store[Symbol.asyncDispose]();
  });
  const clear = async () => {
    secret = secretAccessKey;
    for await (const { key } of client.list('')) await client.remove(key);
    for await (const upload of client.listUploads('')) await client.abortUpload(upload);
  };

  describeStorage('a bucket of Ceph', {
    async open() {
      await clear();
      return createS3Storage(client);
    },
    async leftovers() {
      secret = secretAccessKey;
      const objects = await Array.fromAsync(client.list(''), ({ key }) => key);
      const uploads = await Array.fromAsync(client.listUploads(''), ({ key }) => `${key} (parts)`);
      return [...objects, ...uploads].sort();
    },
    async interruptPut(key) {
      const query = { uploads: '' };
      const upload = { operation: 'CreateMultipartUpload', method: 'POST', key, query } as const;
      await connection.send(upload);
    },
    partBytes,
    failing: {
      async not_allowed() {
        secret = 'another secret key';
      },
    },
  });

  test('takes keys with every kind of character', async () => {
    for (const key of ["it's (a) video+é*.mp4", 'a b/%41/=&?#;:@.mp4', '~!$,[]{}|"<>.mp4']) {
      await client.put({ key, content: contentOf(Buffer.from(key)) });
      assert.equal((await client.head(key))?.bytes, Buffer.byteLength(key), key);
      const listed = await Array.fromAsync(client.list(key.slice(0, 3)), (entry) => entry.key);
      assert.deepEqual(listed, [key]);
      await client.remove(key);
    }
  });

  test('serves presigned URLs for their method, in ranges, until they expire', async () => {
    const content = randomBytes(100_000);
    await client.put({ key: 'video.mp4', content: contentOf(content), contentType: 'video/mp4' });
    const query = { 'response-content-disposition': 'inline; filename="task_1.mp4"' };
    const url = await client.presign({ method: 'GET', key: 'video.mp4', seconds: 60, query });
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-disposition'), 'inline; filename="task_1.mp4"');
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), content.subarray(10, 20));
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 403);
    const head = await client.presign({ method: 'HEAD', key: 'video.mp4', seconds: 60, query });
    assert.equal((await fetch(head, { method: 'HEAD' })).status, 200);
    assert.equal((await fetch(url.replace('video.mp4', 'other.mp4'))).status, 403);
    const short = await client.presign({ method: 'GET', key: 'video.mp4', seconds: 1, query });
    while ((await fetch(short)).status !== 403);
  });
}

async function* contentOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
