/**
 * A worker that loses the database for a short time releases jobs it does not know of or could not
 * reschedule. No crash is counted, and no task fails.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textToVideo, useJourney } from '../../proof/kit/journey.ts';
import {
  type Database,
  type PreparedStatement,
  type Row,
  type Rows,
  sqlText,
} from '../database/database.ts';
import { createLifecycle } from '../lifecycle/context.ts';
import { crashCountMax } from '../queue/job.ts';
import { Worker } from './worker.ts';
import { defaultWorkerSettings } from './worker-settings.ts';

const journey = await useJourney({ environment: { VIDGEN_ROLE: 'api' } });

type ClaimedRows = readonly { readonly crashCount: number }[];

/** The worker's database; `afterClaim` may throw in place of the claim's result. */
function lossyDatabase(db: Database, { afterClaim }: { afterClaim: (jobs: ClaimedRows) => void }) {
  let isOffline = false;
  const lost = () => new Error('Connection terminated unexpectedly');
  const query = async <R extends Row>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<Rows<R>> => {
    const text = sqlText(statement);
    if (isOffline) {
      // Back online once the worker has failed to reschedule the job.
      isOffline = !text.includes('set kind = n.kind');
      throw lost();
    }
    const result = await db.query<R>(statement, values);
    const isClaim = text.includes('fence = fence + 1') && result.rowCount > 0;
    if (isClaim) afterClaim(result.rows as unknown as ClaimedRows);
    return result;
  };
  const wrapped: Database = {
    query,
    transaction: (work) => db.transaction(work),
    listen: (channel, onNotify) => db.listen(channel, onNotify),
    runAlone: (statement) => db.runAlone(statement),
    close: () => db.close(),
  };
  const goOffline = () => {
    isOffline = true;
  };
  return { db: wrapped, goOffline, lost };
}

/** Runs one task to its end and returns the crash counts of its claimed jobs. */
async function runTask(fault: (database: ReturnType<typeof lossyDatabase>, claim: number) => void) {
  const { lifecycle } = journey.service.parts;
  const crashCounts: number[] = [];
  const database = lossyDatabase(lifecycle.db, {
    afterClaim(jobs) {
      crashCounts.push(...jobs.map((job) => job.crashCount));
      fault(database, crashCounts.length);
    },
  });
  const worker = new Worker(createLifecycle({ ...lifecycle, db: database.db }));
  await worker.start();
  const { client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  const task = await client.final(body.taskId as string);
  await worker.stop();
  return { task, crashCounts };
}

test('counts no crash when the response to a claim is lost', async () => {
  const { task, crashCounts } = await runTask(({ lost }, claim) => {
    if (claim <= crashCountMax) throw lost();
  });
  assert.equal(task.status, 'completed');
  assert.ok(crashCounts.length > crashCountMax);
  assert.deepEqual(new Set(crashCounts), new Set([0]));
});

test('counts no crash when a stage fails while the database is unreachable', async () => {
  const { task, crashCounts } = await runTask(({ goOffline }, claim) => {
    if (claim <= crashCountMax) goOffline();
  });
  assert.equal(task.status, 'completed');
  assert.ok(crashCounts.length > crashCountMax);
  assert.deepEqual(new Set(crashCounts), new Set([0]));
});

test('runs jobs that a claim leased after the worker stopped waiting for it', async () => {
  const { lifecycle } = journey.service.parts;
  const worker = new Worker(lifecycle);
  const { client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  // As if the database had executed a claim whose response the worker no longer waited for.
  await lifecycle.db.query(
    `update jobs set lease_owner = $2, lease_until = now() + interval '1 hour'
     where task_id = $1`,
    [body.taskId, worker.owner],
  );
  await worker.start();
  const task = await client.final(body.taskId as string);
  await worker.stop();
  assert.equal(task.status, 'completed');
});

test('the only process frees the jobs of a dead worker at its start', async () => {
  const { lifecycle } = journey.service.parts;
  const worker = new Worker(lifecycle, { ...defaultWorkerSettings, isOnlyProcess: true });
  const { client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  await lifecycle.db.query(
    `update jobs set lease_owner = 'dead', lease_until = now() + interval '1 hour'
     where task_id = $1`,
    [body.taskId],
  );
  await worker.start();
  const task = await client.final(body.taskId as string);
  await worker.stop();
  assert.equal(task.status, 'completed');
});
