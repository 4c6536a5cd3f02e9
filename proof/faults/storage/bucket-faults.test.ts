/**
 * A bucket that fails: tasks wait within their deadline, nothing is charged without a stored video,
 * and no part, open upload or orphan is left behind.
 * Thorough: stores videos in parts under every fault, and waits for retries.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { saveStream } from '../../../server/egress/save-stream.ts';
import { sweepResults } from '../../../server/lifecycle/upkeep/sweep.ts';
import type { DownloadFile } from '../../../server/providers/provider.ts';
import { type S3Fault, startFakeS3 } from '../../kit/fake-s3.ts';
import { balanceOf, createTask, startJourney } from '../../kit/journey.ts';
import { waitUntil } from '../../kit/wait-until.ts';

/** Three parts of the client. */
const video = randomBytes(17 * 1024 ** 2);
const download: DownloadFile = async ({ into }) => ({
  saved: true,
  bytes: await saveStream([video], into),
});

const fake = await startFakeS3();
const { service, close } = await startJourney({
  script: { status: [{ outcome: 'completed', video: { download } }] },
  environment: { VIDGEN_STORAGE_URL: fake.url('videos'), ...fake.environment },
});
after(async () => {
  await service.assertInvariants();
  await close();
  await fake.close();
});
beforeEach(() => {
  fake.fault = () => null;
});

const everywhere = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'];
const full: S3Fault = { status: 507, code: 'InsufficientStorage' };
const storedOf = (taskId: string) => fake.objects.get(`videos/${taskId}/1/video.mp4`)?.body;

/** Every request of these operations for a task's file fails in this way. */
function failWith(fault: S3Fault, operations: readonly string[]): { count: number } {
  const failed = { count: 0 };
  fake.fault = ({ key, operation }) => {
    if (!key.startsWith('videos/task_') || !operations.includes(operation)) return null;
    failed.count += 1;
    return fault;
  };
  return failed;
}

const poll = `task_id = $1 and kind = 'poll' and lease_until is null`;

async function retryNow(taskId: string): Promise<void> {
  const due = `update jobs set run_at = now(), attempts = 0 where ${poll}`;
  await waitUntil(async () => (await service.db.query(due, [taskId])).rowCount !== 0);
}

async function waitUntilFailed(taskId: string): Promise<void> {
  const waiting = `select from jobs where ${poll} and attempts > 0`;
  await waitUntil(async () => (await service.db.query(waiting, [taskId])).rowCount !== 0);
}

const outages: readonly (readonly [name: string, fault: S3Fault, operations: readonly string[]])[] =
  [
    ['responds 503', { status: 503, code: 'SlowDown' }, everywhere],
    ['resets the connection in a part', 'reset', ['UploadPart']],
    ['loses every response to a part', 'lost-response', ['UploadPart']],
    ['is full', full, ['UploadPart']],
    ['has a quota that is used up', { status: 403, code: 'QuotaExceeded' }, everywhere],
    ['does not put the parts together', { status: 500, code: 'InternalError' }, [everywhere[2]!]],
  ];

for (const [name, fault, operations] of outages) {
  test(`a task waits while the store ${name}, and is charged once it is stored`, async () => {
    const failed = failWith(fault, operations);
    const { account, taskId, final, credits } = await createTask(service);
    await waitUntilFailed(taskId);
    assert(failed.count > 0);
    const { live: during } = await balanceOf(service, account.id);
    assert.equal(during.reserved, credits, 'nothing is charged');
    assert.deepEqual([storedOf(taskId), fake.uploads.size], [undefined, 0]);
    fake.fault = () => null;
    await retryNow(taskId);
    assert.equal((await final()).billing_status, 'charged');
    assert.deepEqual(storedOf(taskId), video);
    assert.equal(fake.uploads.size, 0);
    assert.equal((await balanceOf(service, account.id)).live.reserved, 0);
  });
}

test('a lost response to the last request is no second video and no failure', async () => {
  const lost = failWith('lost-response', ['CompleteMultipartUpload']);
  const { taskId, final } = await createTask(service);
  assert.equal((await final()).billing_status, 'charged');
  assert(lost.count > 0);
  assert.deepEqual(storedOf(taskId), video);
  assert.equal(fake.uploads.size, 0);
});

test('a store that stays full until the deadline refunds, and leaves nothing', async () => {
  failWith(full, everywhere);
  const { account, taskId, final } = await createTask(service);
  await waitUntilFailed(taskId);
  const late = `update tasks set deadline_at = now() - interval '2 minutes' where id = $1`;
  await service.db.query(late, [taskId]);
  await retryNow(taskId);
  const end = await final();
  assert.deepEqual([end.failed_reason, end.billing_status], ['timed_out', 'refunded']);
  assert.equal((await balanceOf(service, account.id)).live.available, 100);
  fake.fault = () => null;
  await sweepResults(service.parts.lifecycle, { olderThanMs: -3600_000 });
  assert.deepEqual([storedOf(taskId), fake.uploads.size], [undefined, 0]);
});
