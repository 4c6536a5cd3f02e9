/** Progress is for admins: written during a long poll, by the worker that leases the job. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AdminTaskDetail, ListAccountTasksResponse } from '@vidgen/contract/admin-tasks.ts';
import { type Journey, startJourney, textToVideo } from '../../../proof/kit/journey.ts';
import type { Database } from '../../database/database.ts';
import type { Provider, StatusRequest, StatusResult } from '../../providers/provider.ts';
import type { Job } from '../../queue/job.ts';
import { createLog } from '../../telemetry/log.ts';
import { createProgressReporter } from './progress.ts';

const log = createLog('silent');
const job = { id: 1, fence: 7 } as Job;

/** A database that records what would be written, one transaction after the other. */
function recordingDatabase({ holds = true } = {}) {
  const written: unknown[] = [];
  let concurrentMax = 0;
  let active = 0;
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.startsWith('update tasks')) written.push(values[1]);
    return { rows: [], rowCount: text.startsWith('select from jobs') && !holds ? 0 : 1 };
  };
  const transaction = async (work: (tx: unknown) => Promise<unknown>) => {
    active += 1;
    concurrentMax = Math.max(concurrentMax, active);
    await work({ query }).finally(() => {
      active -= 1;
    });
  };
  return {
    db: { transaction } as unknown as Database,
    written,
    concurrentMax: () => concurrentMax,
  };
}

const lease = new AbortController().signal;
const task = { id: 'task_1', progress: null };

describe('reported progress', () => {
  test('is written once per interval, however often it is reported', async () => {
    const { db, written } = recordingDatabase();
    const progress = createProgressReporter(
      { db, log },
      { task, job, lease, intervalMs: 3600_000 },
    );
    for (let fraction = 0; fraction <= 1; fraction += 0.01) {
      progress.report(fraction);
      await progress.settled();
    }
    assert.deepEqual(written, [0]);
  });

  test('is written when it changed, and never twice at once', async () => {
    const { db, written, concurrentMax } = recordingDatabase();
    const progress = createProgressReporter({ db, log }, { task, job, lease, intervalMs: 0 });
    for (const fraction of [0.1, 0.1, 0.2]) {
      progress.report(fraction);
      progress.report(0.9);
      await progress.settled();
    }
    assert.deepEqual(written, [0.1, 0.9, 0.2]);
    assert.equal(concurrentMax(), 1);
  });

  test('is not written when the task has the same progress already', async () => {
    const { db, written } = recordingDatabase();
    const known = { id: 'task_1', progress: 0.5 };
    const progress = createProgressReporter(
      { db, log },
      { task: known, job, lease, intervalMs: 0 },
    );
    progress.report(0.5);
    await progress.settled();
    assert.deepEqual(written, []);
  });

  test('is dropped when it is not between 0 and 1', async () => {
    const { db, written } = recordingDatabase();
    const progress = createProgressReporter({ db, log }, { task, job, lease, intervalMs: 0 });
    for (const fraction of [Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY])
      progress.report(fraction);
    await progress.settled();
    assert.deepEqual(written, []);
  });

  test('is not written after the lease was lost', async () => {
    const { db, written } = recordingDatabase();
    const lost = AbortSignal.abort();
    const progress = createProgressReporter({ db, log }, { task, job, lease: lost, intervalMs: 0 });
    progress.report(0.5);
    await progress.settled();
    assert.deepEqual(written, []);
  });

  test('never throws when it cannot be written', async () => {
    const { db } = recordingDatabase({ holds: false });
    const progress = createProgressReporter({ db, log }, { task, job, lease, intervalMs: 0 });
    progress.report(0.5);
    await progress.settled();
    const transaction = () => Promise.reject(new Error('the database is away'));
    const offline = createProgressReporter(
      { db: { transaction } as never, log },
      { task, job, lease },
    );
    offline.report(0.5);
    await offline.settled();
  });
});

describe('a long poll', () => {
  const polls: (StatusRequest & { respond: (respond: StatusResult) => void })[] = [];
  let journey: Journey;
  let onPoll: () => void = () => {};
  before(async () => {
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
    journey = await startJourney({ providers: { scripted: slow } });
  });
  after(() => journey.close());

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
});
