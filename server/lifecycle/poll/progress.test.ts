/** Progress is for admins: written during a long poll, by the worker that leases the job. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdminTaskDetail, ListAccountTasksResponse } from '@vidgen/contract/admin-tasks.ts';
import { textToVideo, useJourney } from '../../../proof/kit/journey.ts';
import type { Database } from '../../database/database.ts';
import type { Provider, StatusRequest, StatusResult } from '../../providers/provider.ts';
import type { Job } from '../../queue/job.ts';
import { createLog } from '../../telemetry/log.ts';
import { createProgressReporter } from './progress.ts';

const log = createLog('silent');
const lease = new AbortController().signal;

test('is written once at a time and per interval, and only while the lease is held', async () => {
  const written: unknown[] = [];
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.startsWith('update tasks')) written.push(values[1]);
    return { rows: [], rowCount: 1 };
  };
  const transaction = (work: (tx: unknown) => Promise<unknown>) => work({ query });
  const db = { transaction } as unknown as Database;
  const reporter = {
    task: { id: 'task_1', progress: 0.1 },
    job: { id: 1, fence: 7 } as Job,
    lease,
  };
  const progress = createProgressReporter({ db, log }, { ...reporter, intervalMs: 0 });
  for (const fraction of [0.1, Number.NaN, 1.1, 0.2, 0.3]) progress.report(fraction);
  await progress.settled();
  assert.deepEqual(written, [0.2]);
  const hourly = createProgressReporter({ db, log }, { ...reporter, intervalMs: 3600_000 });
  for (const fraction of [0.4, 0.5]) {
    hourly.report(fraction);
    await hourly.settled();
  }
  const lost = { ...reporter, lease: AbortSignal.abort(), intervalMs: 0 };
  createProgressReporter({ db, log }, lost).report(0.9);
  assert.deepEqual(written, [0.2, 0.4]);
  const offline = { transaction: () => Promise.reject(new Error('the database is away')) };
  const never = createProgressReporter({ db: offline as never, log }, reporter);
  never.report(0.5);
  await never.settled();
});

const polls: (StatusRequest & { respond: (respond: StatusResult) => void })[] = [];
let onPoll: () => void = () => {};
const slow: Provider = {
  name: 'scripted',
  protection: 'idempotency-key',
  typicalSeconds: () => 1,
  start: async ({ reference }) => ({ outcome: 'accepted', operation: reference }),
  status: (request) =>
    new Promise((respond) => {
      polls.push({ ...request, respond });
      onPoll();
    }),
  cancel: async () => 'stopped',
};
const journey = await useJourney({ providers: { scripted: slow } });

async function begin() {
  const account = await journey.service.account({ live: 100 });
  const polled = new Promise<void>((resolve) => {
    onPoll = resolve;
  });
  const { body } = await account.client.create(textToVideo);
  await polled;
  return { id: String(body.taskId), poll: polls.at(-1)!, client: account.client };
}
const shownProgress = async (id: string) =>
  AdminTaskDetail.parse((await journey.service.admin.get(`/admin/tasks/${id}`)).body).progress;
async function waitForProgress(id: string, progress: number): Promise<void> {
  while ((await shownProgress(id)) !== progress);
}

test('shows its progress to admins, and not to the client', async () => {
  const { id, poll, client } = await begin();
  assert.equal(await shownProgress(id), null);
  poll.onProgress(0.25);
  await waitForProgress(id, 0.25);
  const { body } = await journey.service.admin.get('/admin/tasks');
  const listed = ListAccountTasksResponse.parse(body).items.find((item) => item.id === id);
  assert.equal(listed?.progress, 0.25);
  const { body: own } = await client.get(`/v1/tasks/${id}`);
  const { body: list } = await client.get('/v1/tasks');
  assert.doesNotMatch(JSON.stringify([own, list]), /progress/);
  poll.respond({ outcome: 'failed', reason: 'failed', detail: 'a test' });
  assert.equal((await client.final(id)).status, 'failed');
  assert.equal(await shownProgress(id), 0.25, 'how far it had come');
  await journey.service.assertInvariants();
});

test('writes no progress once another worker has the job', async () => {
  const { id, poll, client } = await begin();
  const { db } = journey.service;
  const { rows } = await db.query<Job>(
    `update jobs set fence = fence + 1 where task_id = $1 returning id, fence`,
    [id],
  );
  const stale = { ...rows[0]!, fence: rows[0]!.fence - 1 };
  const known = { id, progress: null };
  const staleReporter = createProgressReporter(
    { db, log },
    { task: known, job: stale, lease, intervalMs: 0 },
  );
  staleReporter.report(0.9);
  await staleReporter.settled();
  assert.equal(await shownProgress(id), null);
  const leasedReporter = createProgressReporter(
    { db, log },
    { task: known, job: rows[0]!, lease, intervalMs: 0 },
  );
  leasedReporter.report(0.5);
  await leasedReporter.settled();
  assert.equal(await shownProgress(id), 0.5);
  await client.post(`/v1/tasks/${id}/cancel`);
  poll.respond({ outcome: 'pending', pollAfterSeconds: 1 });
  await journey.service.assertInvariants();
});
