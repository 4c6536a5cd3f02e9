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
import { deathsMax } from '../queue/job.ts';
import { Worker } from './worker.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney({ environment: { VIDGEN_ROLE: 'api' } });
});
after(async () => {
  await journey.service.auditClean();
  await journey.close();
});

type Claimed = readonly { readonly deaths: number }[];

/** The database as the worker has it; `afterClaim` may throw instead of the answer. */
function lossy(db: Database, { afterClaim }: { afterClaim: (jobs: Claimed) => void }) {
  let isAway = false;
  const lost = () => new Error('Connection terminated unexpectedly');
  const query = async <R extends Row>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Rows<R>> => {
    if (isAway) {
      // Back as soon as the worker has failed to write that it will try again.
      isAway = !text.includes('set kind = n.kind');
      throw lost();
    }
    const answer = await db.query<R>(text, values);
    const isClaim = text.includes('set lease_owner = $2') && answer.rowCount > 0;
    if (isClaim) afterClaim(answer.rows as unknown as Claimed);
    return answer;
  };
  const wrapped: Database = {
    engine: db.engine,
    query,
    transaction: (work) => db.transaction(work),
    listen: (channel, heard) => db.listen(channel, heard),
    close: () => db.close(),
  };
  const goAway = () => {
    isAway = true;
  };
  return { db: wrapped, goAway, lost };
}

/** Runs one task to its end, and answers the deaths that its claims were told of. */
async function runTask(trouble: (world: ReturnType<typeof lossy>, claim: number) => void) {
  const { lifecycle } = journey.service.parts;
  const deaths: number[] = [];
  const world = lossy(lifecycle.db, {
    afterClaim(jobs) {
      deaths.push(...jobs.map((job) => job.deaths));
      trouble(world, deaths.length);
    },
  });
  const worker = new Worker({ ...lifecycle, db: world.db });
  await worker.start();
  const { client } = await journey.service.account({ live: 100 });
  const { body } = await client.create(textToVideo);
  const task = await client.final(body.taskId as string);
  await worker.stop();
  return { task, deaths };
}

test('a claim whose answer was lost is no death, however often', async () => {
  const { task, deaths } = await runTask(({ lost }, claim) => {
    if (claim <= deathsMax) throw lost();
  });
  assert.equal(task.status, 'completed');
  assert.ok(deaths.length > deathsMax);
  assert.deepEqual(new Set(deaths), new Set([0]));
});

test('a stage that fails while the database is away is no death, however often', async () => {
  const { task, deaths } = await runTask(({ goAway }, claim) => {
    if (claim <= deathsMax) goAway();
  });
  assert.equal(task.status, 'completed');
  assert.ok(deaths.length > deathsMax);
  assert.deepEqual(new Set(deaths), new Set([0]));
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
