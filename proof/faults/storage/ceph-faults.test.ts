/**
 * A bucket that fails, with Ceph behind a proxy that lets requests fail.
 * Thorough: starts Ceph, and installs it in a folder of the cache the first time.
 */
import { after, describe } from 'node:test';
import { createS3Client } from '../../../server/storage/s3-client.ts';
import { S3Connection } from '../../../server/storage/s3-request.ts';
import { parseS3Url } from '../../../server/storage/s3-settings.ts';
import { type Ceph, startCeph } from '../../kit/ceph.ts';
import { startS3FaultProxy } from '../../kit/s3-faults.ts';
import { describeBucketFaults } from './describe-bucket-faults.ts';

const ceph = await startCeph();
const skip = 'reason' in ceph ? ceph.reason : false;

describe('Ceph', { skip }, async () => {
  if (!('reason' in ceph)) await describeCeph(ceph);
});

async function describeCeph(store: Ceph): Promise<void> {
  const proxy = await startS3FaultProxy(store.endpoint);
  const urlAt = (endpoint: string, prefix: string) =>
    `s3://faults/${prefix}?region=us-east-1&endpoint=${endpoint}&path_style=true`;
  let key = { id: store.accessKeyId, secret: store.secretAccessKey };
  const direct = {
    settings: parseS3Url(urlAt(store.endpoint, '')),
    credentials: async () => ({
      accessKeyId: key.id,
      secretAccessKey: key.secret,
      sessionToken: null,
    }),
  };
  const connection = new S3Connection(direct);
  await connection.send({ operation: 'CreateBucket', method: 'PUT', key: null });
  const client = createS3Client(direct);
  after(async () => {
    client.close();
    connection.close();
    await proxy.close();
    await store[Symbol.asyncDispose]();
  });
  await describeBucketFaults({
    url: urlAt(proxy.origin, 'videos'),
    key,
    faults: proxy,
    async read(name) {
      const found = await client.get(name);
      return found && Buffer.concat(await found.toArray());
    },
    countUploads: async () => (await Array.fromAsync(client.listUploads(''))).length,
    async rotate(next) {
      await store.rotate(next);
      key = next;
    },
  });
}
