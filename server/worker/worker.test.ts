/**
 * A worker whose database is lost for moments: what it was not told of, and what it could not
 * write, it gives back at once; nobody died of it, and no task is given up for it.
 *
 * One engine: what is lost is made up by the test.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney, textToVideo } from '../../proof/kit/journey.ts';
import type { Database, Row, Rows } from '../database/database.ts';
import { crashCountMax } from '../queue/job.ts';
import { Worker } from './worker.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney({ environment: { VIDGEN_ROLE: 'api' } });
});
after(async () => {
  await journey.service.assertInvariants();
  await journey.close();
});

type ClaimedRows = readonly { readonly crashCount: number }[];

/** The database as the worker has it; `afterClaim` may throw instead of the answer. */
function lossyDatabase(db: Database, { afterClaim }: { afterClaim: (jobs: ClaimedRows) => void }) {
  let isOffline = false;
  const lost = () => new Error('Connection terminated unexpectedly');
  const query = async <R extends Row>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Rows<R>> => {
    if (isOffline) {
      // Back as soon as the worker has failed to write that it will try again.
      isOffline = !text.includes('set kind = n.kind');
      throw lost();
    }
    const result = await db.query<R>(text, values);
    const isClaim = text.includes('fence = fence + 1') && result.rowCount > 0;
    if (isClaim) afterClaim(result.rows as unknown as ClaimedRows);
    return result;
  };
  const wrapped: Database = {
    engine: db.engine,
    query,
    transaction: (work) => db.transaction(work),
    listen: (channel, onNotify) => db.listen(channel, onNotify),
    close: () => db.close(),
  };
  const goOffline = () => {
    isOffline = true;
  };
  return { db: wrapped, goAway: goOffline, lost };
}

/** Runs one task to its end, and answers the deaths that its claims were told of. */
async function runTask(fault: (database: ReturnType<typeof lossyDatabase>, claim: number) => void) {
  const { lifecycle } = journey.service.parts;
  const crashCounts: number[] = [];
  const database = lossyDatabase(lifecycle.db, {
    afterClaim(jobs) {
      crashCounts.push(...jobs.map((job) => job.crashCount));
      fault(database, crashCounts.length);
    },
  });
  const worker = new Worker({ ...lifecycle, db: database.db });
  await worker.start();
  const { client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  const task = await client.final(body.taskId as string);
  await worker.stop();
  return { task, crashCounts };
}

test('a claim whose answer was lost is no death, however often', async () => {
  const { task, crashCounts } = await runTask(({ lost }, claim) => {
    if (claim <= crashCountMax) throw lost();
  });
  assert.equal(task.status, 'completed');
  assert.ok(crashCounts.length > crashCountMax);
  assert.deepEqual(new Set(crashCounts), new Set([0]));
});

test('a stage that fails while the database is away is no death, however often', async () => {
  const { task, crashCounts } = await runTask(({ goAway: goOffline }, claim) => {
    if (claim <= crashCountMax) goOffline();
  });
  assert.equal(task.status, 'completed');
  assert.ok(crashCounts.length > crashCountMax);
  assert.deepEqual(new Set(crashCounts), new Set([0]));
});

test('what a claim took after we had given up on it is worked on all the same', async () => {
  const { lifecycle } = journey.service.parts;
  const worker = new Worker(lifecycle);
  const { client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  // As if the database had gone on with a statement of ours that nobody waited for any more.
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
