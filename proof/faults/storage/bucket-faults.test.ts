/**
 * A bucket that fails: tasks wait within their deadline, nothing is charged without a stored video,
 * and no part, open upload or orphan is left behind.
 * Thorough: stores videos in parts under every fault, and waits for retries.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { sweepResults } from '../../../server/lifecycle/sweep.ts';
import type { DownloadFile } from '../../../server/providers/provider.ts';
import { type FakeS3Request, type S3Fault, startFakeS3 } from '../../kit/fake-s3.ts';
import { balanceOf, createTask, startJourney } from '../../kit/journey.ts';
import { makeTemporaryFolder } from '../../kit/temporary-folder.ts';
import { waitUntil } from '../../kit/wait-until.ts';

/** Three parts of the client. */
const video = randomBytes(17 * 1024 ** 2);
const download: DownloadFile = async ({ into }) => {
  await writeFile(into, video);
  return { saved: true };
};

const fake = await startFakeS3();
const credentialFile = join(makeTemporaryFolder('bucket-faults'), 'credentials');
async function writeCredentials(id: string, secret: string): Promise<void> {
  const lines = ['[default]', `aws_access_key_id=${id}`, `aws_secret_access_key=${secret}`, ''];
  await writeFile(credentialFile, lines.join('\n'));
}
const [firstId, firstSecret] = [...fake.keys][0]!;
await writeCredentials(firstId, firstSecret);
const journey = await startJourney({
  script: { status: [{ outcome: 'completed', video: { download } }] },
  environment: {
    VIDGEN_STORAGE_URL: fake.url('videos'),
    AWS_SHARED_CREDENTIALS_FILE: credentialFile,
  },
});
const { service } = journey;
after(async () => {
  await service.assertInvariants();
  await journey.close();
  await fake.close();
});

const keyOf = (taskId: string) => `videos/${taskId}/1/video.mp4`;
const isOfTasks = ({ key }: FakeS3Request) => key.startsWith('videos/task_');
const storedOf = (taskId: string) => fake.objects.get(keyOf(taskId))?.body;

/** Every request of these operations for a task's file fails in this way. */
function failWith(fault: S3Fault, operations: readonly string[]): { count: number } {
  const failed = { count: 0 };
  fake.fault = (request) => {
    if (!isOfTasks(request) || !operations.includes(request.operation)) return null;
    failed.count += 1;
    return fault;
  };
  return failed;
}

/** Makes the next poll due now, and waits until it has ended. */
async function retryNow(taskId: string): Promise<void> {
  const due = `update jobs set run_at = now(), attempts = 0
    where task_id = $1 and kind = 'poll' and lease_until is null`;
  await waitUntil(async () => (await service.db.query(due, [taskId])).rowCount !== 0);
}

const isWaiting = async (taskId: string): Promise<boolean> => {
  const waiting = `select from jobs
    where task_id = $1 and kind = 'poll' and lease_until is null and attempts > 0`;
  return (await service.db.query(waiting, [taskId])).rowCount !== 0;
};

beforeEach(() => {
  fake.fault = () => null;
  fake.clockOffsetMs = 0;
});

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

for (const [name, fault, operations] of outages) {
  test(`a task waits while the store ${name}, and is charged once it is stored`, async () => {
    const failed = failWith(fault, operations);
    const { account, taskId, final, credits } = await createTask(service);
    await waitUntil(() => isWaiting(taskId));
    assert(failed.count > 0);
    const { live: during } = await balanceOf(service, account.id);
    assert.equal(during.reserved, credits, 'nothing is charged');
    assert.equal(storedOf(taskId), undefined);
    fake.fault = () => null;
    assert.equal(fake.uploads.size, 0, 'no open upload');
    await retryNow(taskId);
    assert.equal((await final()).billing_status, 'charged');
    assert.deepEqual(storedOf(taskId), video);
    assert.equal(fake.uploads.size, 0);
    assert.equal((await balanceOf(service, account.id)).live.reserved, 0);
  });
}

test('a slow store delays a task and nothing else', async () => {
  const slow = failWith({ delayMs: 400 }, [...everywhere, 'HeadObject']);
  const { taskId, final } = await createTask(service);
  assert.equal((await final()).billing_status, 'charged');
  assert(slow.count >= everywhere.length);
  assert.deepEqual(storedOf(taskId), video);
});

test('a lost response to the last request is no second video and no failure', async () => {
  const lost = failWith('lost-response', ['CompleteMultipartUpload']);
  const { taskId, final } = await createTask(service);
  assert.equal((await final()).billing_status, 'charged');
  assert(lost.count > 0);
  assert.deepEqual(storedOf(taskId), video);
  assert.equal(fake.uploads.size, 0);
});

test('a part that fails once is sent again within the same put', async () => {
  let left = 1;
  fake.fault = (request) => {
    if (request.operation !== 'UploadPart' || left === 0) return null;
    left -= 1;
    return 'reset';
  };
  const { taskId, final } = await createTask(service);
  assert.equal((await final()).billing_status, 'charged');
  assert.deepEqual(storedOf(taskId), video);
});

test('credentials are rotated while tasks wait, without a restart', async () => {
  fake.keys.delete(firstId);
  const { taskId, final } = await createTask(service);
  await waitUntil(() => isWaiting(taskId));
  fake.keys.set('AKROTATED', 'the secret key after the rotation');
  await writeCredentials('AKROTATED', 'the secret key after the rotation');
  await retryNow(taskId);
  assert.equal((await final()).billing_status, 'charged');
  assert.deepEqual(storedOf(taskId), video);
});

test('a clock that is an hour off stores and serves like any other', async () => {
  fake.clockOffsetMs = 3600_000;
  const { taskId, final } = await createTask(service);
  const [url] = (await final()).data!.results;
  assert.deepEqual(storedOf(taskId), video);
  const served = await fetch(url!, { headers: { range: 'bytes=5-9' } });
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), video.subarray(5, 10));
});

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
  fake.fault = () => null;
  await sweepResults(service.parts.lifecycle, { olderThanMs: -3600_000 });
  assert.equal(fake.uploads.size, 0);
  assert.equal(storedOf(taskId), undefined);
});

test('a download goes on when the store cuts it, and an outage is an error', async () => {
  const { final } = await createTask(service);
  const [url] = (await final()).data!.results;
  let cuts = 2;
  fake.fault = ({ operation }) => (operation === 'GetObject' && cuts-- > 0 ? 'cut-response' : null);
  assert.deepEqual(Buffer.from(await (await fetch(url!)).arrayBuffer()), video);
  fake.fault = () => ({ status: 503, code: 'SlowDown' });
  assert.equal((await fetch(url!)).status, 500);
  fake.fault = () => null;
  assert.equal((await fetch(url!, { method: 'HEAD' })).status, 200);
});
