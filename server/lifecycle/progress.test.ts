/** Progress is for operators: kept while a look is under way, by whoever holds the job. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AdminTaskDetail, ListAccountTasksAnswer } from '@vidgen/contract/admin-tasks.ts';
import { type Journey, startJourney, textToVideo } from '../../proof/kit/journey.ts';
import type { Database } from '../database/database.ts';
import { createLog } from '../log.ts';
import type { Provider, StatusAnswer, StatusRequest } from '../providers/provider.ts';
import type { Job } from '../queue/job.ts';
import { keepProgress } from './progress.ts';

const log = createLog('silent');
const job = { id: 1, fence: 7 } as Job;

/** A database that only notes what would be written, one transaction after the other. */
function noting({ holds = true } = {}) {
  const written: unknown[] = [];
  let busiest = 0;
  let busy = 0;
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.startsWith('update tasks')) written.push(values[1]);
    return { rows: [], rowCount: text.startsWith('select from jobs') && !holds ? 0 : 1 };
  };
  const transaction = async (work: (tx: unknown) => Promise<unknown>) => {
    busy += 1;
    busiest = Math.max(busiest, busy);
    await work({ query }).finally(() => {
      busy -= 1;
    });
  };
  return { db: { transaction } as unknown as Database, written, busiest: () => busiest };
}

const lease = new AbortController().signal;
const task = { id: 'task_1', progress: null };

describe('what is reported', () => {
  test('is written once in a while, however often it is told', async () => {
    const { db, written } = noting();
    const progress = keepProgress({ db, log }, { task, job, lease, gapMs: 3600_000 });
    for (let share = 0; share <= 1; share += 0.01) {
      progress.report(share);
      await progress.settled();
    }
    assert.deepEqual(written, [0]);
  });

  test('is written when it moved, and never twice at once', async () => {
    const { db, written, busiest } = noting();
    const progress = keepProgress({ db, log }, { task, job, lease, gapMs: 0 });
    for (const share of [0.1, 0.1, 0.2]) {
      progress.report(share);
      progress.report(0.9);
      await progress.settled();
    }
    assert.deepEqual(written, [0.1, 0.9, 0.2]);
    assert.equal(busiest(), 1);
  });

  test('is not written when the task stands there already', async () => {
    const { db, written } = noting();
    const known = { id: 'task_1', progress: 0.5 };
    const progress = keepProgress({ db, log }, { task: known, job, lease, gapMs: 0 });
    progress.report(0.5);
    await progress.settled();
    assert.deepEqual(written, []);
  });

  test('is dropped when it is no share', async () => {
    const { db, written } = noting();
    const progress = keepProgress({ db, log }, { task, job, lease, gapMs: 0 });
    for (const share of [Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY]) progress.report(share);
    await progress.settled();
    assert.deepEqual(written, []);
  });

  test('ends with the lease', async () => {
    const { db, written } = noting();
    const lost = AbortSignal.abort();
    const progress = keepProgress({ db, log }, { task, job, lease: lost, gapMs: 0 });
    progress.report(0.5);
    await progress.settled();
    assert.deepEqual(written, []);
  });

  test('never throws: a render goes on without its figure', async () => {
    const { db } = noting({ holds: false });
    const progress = keepProgress({ db, log }, { task, job, lease, gapMs: 0 });
    progress.report(0.5);
    await progress.settled();
    const transaction = () => Promise.reject(new Error('the database is away'));
    const away = keepProgress({ db: { transaction } as never, log }, { task, job, lease });
    away.report(0.5);
    await away.settled();
  });
});

describe('a look that takes long', () => {
  const looks: (StatusRequest & { answer: (answer: StatusAnswer) => void })[] = [];
  let journey: Journey;
  let heard: () => void = () => {};
  before(async () => {
    const slow: Provider = {
      name: 'scripted',
      protection: 'idempotency-key',
      usualSeconds: () => 1,
      start: async ({ reference }) => ({ outcome: 'accepted', operation: reference }),
      status: (request) =>
        new Promise((answer) => {
          looks.push({ ...request, answer });
          heard();
        }),
      cancel: async () => 'stopped',
    };
    journey = await startJourney({ providers: { scripted: slow } });
  });
  after(() => journey.close());

  async function begin() {
    const account = await journey.service.account({ live: 100 });
    const asked = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const { body } = await account.client.create(textToVideo);
    await asked;
    return { id: String(body.taskId), look: looks.at(-1)!, client: account.client };
  }
  const shown = async (id: string) =>
    AdminTaskDetail.parse((await journey.service.admin.get(`/admin/tasks/${id}`)).body).progress;
  async function shownSoon(id: string, progress: number): Promise<void> {
    while ((await shown(id)) !== progress);
  }

  test('is shown to operators with its progress, and to the client without', async () => {
    const { id, look, client } = await begin();
    assert.equal(await shown(id), null);
    look.onProgress(0.25);
    await shownSoon(id, 0.25);
    const { body } = await journey.service.admin.get('/admin/tasks');
    const listed = ListAccountTasksAnswer.parse(body).items.find((item) => item.id === id);
    assert.equal(listed?.progress, 0.25);
    const { body: own } = await client.get(`/v1/tasks/${id}`);
    const { body: list } = await client.get('/v1/tasks');
    assert.doesNotMatch(JSON.stringify([own, list]), /progress/);
    look.answer({ outcome: 'failed', reason: 'failed', detail: 'a test' });
    assert.equal((await client.final(id)).status, 'failed');
    assert.equal(await shown(id), 0.25, 'how far it had come');
    await journey.service.auditClean();
  });

  test('no longer writes it when another has the job', async () => {
    const { id, look, client } = await begin();
    const { db } = journey.service;
    const { rows } = await db.query<Job>(
      `update jobs set fence = fence + 1 where task_id = $1 returning id, fence`,
      [id],
    );
    const stale = { ...rows[0]!, fence: rows[0]!.fence - 1 };
    const known = { id, progress: null };
    const asStranger = keepProgress({ db, log }, { task: known, job: stale, lease, gapMs: 0 });
    asStranger.report(0.9);
    await asStranger.settled();
    assert.equal(await shown(id), null);
    const asHolder = keepProgress({ db, log }, { task: known, job: rows[0]!, lease, gapMs: 0 });
    asHolder.report(0.5);
    await asHolder.settled();
    assert.equal(await shown(id), 0.5);
    await client.post(`/v1/tasks/${id}/cancel`);
    look.answer({ outcome: 'pending', askAgainSeconds: 1 });
    await journey.service.auditClean();
  });
});
