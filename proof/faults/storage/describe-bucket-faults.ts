/**
 * A bucket that fails: tasks wait within their deadline, nothing is charged without a stored video,
 * and no part, open upload or orphan is left behind.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { sweepResults } from '../../../server/lifecycle/upkeep/sweep.ts';
import type { DownloadFile } from '../../../server/providers/provider.ts';
import { balanceOf, createTask, startJourney } from '../../kit/journey.ts';
import type { S3Fault, S3RequestSeen } from '../../kit/s3-faults.ts';
import type { TestService } from '../../kit/service.ts';
import { makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { waitUntil } from '../../kit/wait-until.ts';

type BucketKey = { readonly id: string; readonly secret: string };

export type FaultyBucket = {
  /** `VIDGEN_STORAGE_URL` for the prefix `videos`. */
  readonly url: string;
  readonly key: BucketKey;
  readonly faults: { fault: (request: S3RequestSeen) => S3Fault | null };
  /** Past the faults; null if there is none. */
  read(key: string): Promise<Buffer | null>;
  countUploads(): Promise<number>;
  /** Accepts this key from now on, and no other. */
  rotate(key: BucketKey): Promise<void>;
};

/** Three parts of the client. */
export const video = randomBytes(17 * 1024 ** 2);
const download: DownloadFile = async ({ into }) => {
  await writeFile(into, video);
  return { saved: true };
};

const everywhere = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'];
const outages: readonly (readonly [name: string, fault: S3Fault, operations: readonly string[]])[] =
  [
    ['answers 503', { status: 503, code: 'SlowDown' }, everywhere],
    ['resets the connection in a part', 'reset', ['UploadPart']],
    ['loses every response to a part', 'lost-response', ['UploadPart']],
    ['is full', { status: 507, code: 'InsufficientStorage' }, ['UploadPart']],
    ['has a quota that is used up', { status: 403, code: 'QuotaExceeded' }, everywhere],
    [
      'does not put the parts together',
      { status: 500, code: 'InternalError' },
      everywhere.slice(2),
    ],
  ];

type Setup = {
  readonly bucket: FaultyBucket;
  readonly service: TestService;
  readonly writeCredentials: (key: BucketKey) => Promise<void>;
  readonly storedOf: (taskId: string) => Promise<Buffer | null>;
  /** Every request of these operations for a task's file fails in this way. */
  readonly failWith: (fault: S3Fault, operations: readonly string[]) => { count: number };
  /** Makes the next poll due now, and waits until it has ended. */
  readonly retryNow: (taskId: string) => Promise<void>;
  readonly isWaiting: (taskId: string) => Promise<boolean>;
};

/** Defines the tests, and returns the service that they run on. */
export async function describeBucketFaults(bucket: FaultyBucket): Promise<TestService> {
  const credentialFile = join(makeTemporaryFolder('bucket-faults'), 'credentials');
  const writeCredentials = async ({ id, secret }: BucketKey): Promise<void> => {
    const lines = ['[default]', `aws_access_key_id=${id}`, `aws_secret_access_key=${secret}`, ''];
    await writeFile(credentialFile, lines.join('\n'));
  };
  await writeCredentials(bucket.key);
  const { service, close } = await startJourney({
    script: { status: [{ outcome: 'completed', video: { download } }] },
    environment: {
      VIDGEN_STORAGE_URL: bucket.url,
      AWS_SHARED_CREDENTIALS_FILE: credentialFile,
    },
  });
  after(async () => {
    await service.assertInvariants();
    await close();
  });
  beforeEach(() => {
    bucket.faults.fault = () => null;
  });
  const setup: Setup = { bucket, service, writeCredentials, ...actionsOn(bucket, service) };
  describeOutages(setup);
  describeRecovery(setup);
  describeEnd(setup);
  return service;
}

function actionsOn(bucket: FaultyBucket, { db }: TestService) {
  const isOfTasks = ({ key }: S3RequestSeen) => key.startsWith('videos/task_');
  const poll = `task_id = $1 and kind = 'poll' and lease_until is null`;
  return {
    storedOf: (taskId: string) => bucket.read(`videos/${taskId}/1/video.mp4`),
    failWith(fault: S3Fault, operations: readonly string[]): { count: number } {
      const failed = { count: 0 };
      bucket.faults.fault = (request) => {
        if (!isOfTasks(request) || !operations.includes(request.operation)) return null;
        failed.count += 1;
        return fault;
      };
      return failed;
    },
    async retryNow(taskId: string): Promise<void> {
      const due = `update jobs set run_at = now(), attempts = 0 where ${poll}`;
      await waitUntil(async () => (await db.query(due, [taskId])).rowCount !== 0);
    },
    async isWaiting(taskId: string): Promise<boolean> {
      const waiting = `select from jobs where ${poll} and attempts > 0`;
      return (await db.query(waiting, [taskId])).rowCount !== 0;
    },
  };
}

/** Faults of every request. */
function describeOutages({
  bucket,
  service,
  storedOf,
  failWith,
  retryNow,
  isWaiting,
}: Setup): void {
  for (const [name, fault, operations] of outages) {
    test(`a task waits while the store ${name}, and is charged once it is stored`, async () => {
      const failed = failWith(fault, operations);
      const { account, taskId, final, credits } = await createTask(service);
      await waitUntil(() => isWaiting(taskId));
      assert(failed.count > 0);
      const { live: during } = await balanceOf(service, account.id);
      assert.equal(during.reserved, credits, 'nothing is charged');
      assert.equal(await storedOf(taskId), null);
      bucket.faults.fault = () => null;
      assert.equal(await bucket.countUploads(), 0, 'no open upload');
      await retryNow(taskId);
      assert.equal((await final()).billing_status, 'charged');
      assert.deepEqual(await storedOf(taskId), video);
      assert.equal(await bucket.countUploads(), 0);
      assert.equal((await balanceOf(service, account.id)).live.reserved, 0);
    });
  }
}

/** Faults that end by themselves. */
function describeRecovery({
  bucket,
  service,
  writeCredentials,
  storedOf,
  failWith,
  retryNow,
  isWaiting,
}: Setup): void {
  test('a slow store delays a task and nothing else', async () => {
    const slow = failWith({ delayMs: 400 }, [...everywhere, 'HeadObject']);
    const { taskId, final } = await createTask(service);
    assert.equal((await final()).billing_status, 'charged');
    assert(slow.count >= everywhere.length);
    assert.deepEqual(await storedOf(taskId), video);
  });

  test('a lost response to the last request is no second video and no failure', async () => {
    const lost = failWith('lost-response', ['CompleteMultipartUpload']);
    const { taskId, final } = await createTask(service);
    assert.equal((await final()).billing_status, 'charged');
    assert(lost.count > 0);
    assert.deepEqual(await storedOf(taskId), video);
    assert.equal(await bucket.countUploads(), 0);
  });

  test('a part that fails once is sent again within the same put', async () => {
    let left = 1;
    bucket.faults.fault = (request) => {
      if (request.operation !== 'UploadPart' || left === 0) return null;
      left -= 1;
      return 'reset';
    };
    const { taskId, final } = await createTask(service);
    assert.equal((await final()).billing_status, 'charged');
    assert.deepEqual(await storedOf(taskId), video);
  });

  test('credentials are rotated while tasks wait, without a restart', async () => {
    const rotated = { id: 'AKROTATED', secret: 'the secret key after the rotation' };
    await bucket.rotate(rotated);
    const { taskId, final } = await createTask(service);
    await waitUntil(() => isWaiting(taskId));
    await writeCredentials(rotated);
    await retryNow(taskId);
    assert.equal((await final()).billing_status, 'charged');
    assert.deepEqual(await storedOf(taskId), video);
  });
}

/** A deadline that passes, and downloads. */
function describeEnd({ bucket, service, storedOf, failWith, retryNow, isWaiting }: Setup): void {
  test('a store that stays full until the deadline refunds, and leaves nothing', async () => {
    failWith({ status: 507, code: 'InsufficientStorage' }, everywhere);
    const { account, taskId, final } = await createTask(service);
    await waitUntil(() => isWaiting(taskId));
    const late = `update tasks set deadline_at = now() - interval '2 minutes' where id = $1`;
    await service.db.query(late, [taskId]);
    await retryNow(taskId);
    const end = await final();
    assert.deepEqual([end.failed_reason, end.billing_status], ['timed_out', 'refunded']);
    assert.equal((await balanceOf(service, account.id)).live.available, 100);
    bucket.faults.fault = () => null;
    await sweepResults(service.parts.lifecycle, { olderThanMs: -3600_000 });
    assert.equal(await bucket.countUploads(), 0);
    assert.equal(await storedOf(taskId), null);
  });

  test('a download goes on when the store cuts it, and an outage is an error', async () => {
    const { final } = await createTask(service);
    const [url] = (await final()).data!.results;
    let cuts = 2;
    bucket.faults.fault = ({ operation }) =>
      operation === 'GetObject' && cuts-- > 0 ? 'cut-response' : null;
    assert.deepEqual(Buffer.from(await (await fetch(url!)).arrayBuffer()), video);
    bucket.faults.fault = () => ({ status: 503, code: 'SlowDown' });
    assert.equal((await fetch(url!)).status, 503);
    bucket.faults.fault = () => null;
    assert.equal((await fetch(url!, { method: 'HEAD' })).status, 200);
  });
}
