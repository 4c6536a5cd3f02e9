/**
 * Memory of a worker whose tasks all generate at once: it polls each at an upstream where none
 * ends, with a full queue of polls all the time.
 */
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../server/clock.ts';
import type { Database } from '../../server/database/database.ts';
import type { BenchContext } from './bench-context.ts';
import { requestText, startLoad } from './load.ts';
import { runningPrefix, startOutside } from './outside.ts';
import { watchPeak } from './process-memory.ts';
import { createBody, startServiceStack } from './service-stack.ts';

const connections = 64;
const createSecondsMax = 1800;
/** Ends earlier when every task was polled. */
const pollSecondsMax = 120;

/** Returns the largest resident memory of the worker, in MB. */
export async function inFlightMemory({ folder, options, log }: BenchContext): Promise<number> {
  const { inFlightTasks: count, accounts, profileFolder } = options;
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(join(folder, 'in-flight-outside')));
  const { environment } = outside;
  const service = stack.use(
    await startServiceStack({
      ...{ folder: join(folder, 'in-flight'), accounts, environment, profileFolder },
      roles: ['api'],
    }),
  );
  log(`creating ${count} tasks …`);
  using load = startLoad();
  const requests = service.accounts.map(({ key: token }) =>
    requestText({ method: 'POST', path: '/v1/videos/generations', token, body: createBody }),
  );
  await load.run({ port: service.port, connections, requests, count, seconds: createSecondsMax });
  const { db } = service.database;
  await startGenerating(db);
  const worker = await service.start('worker');
  const peak = watchPeak(worker.pid);
  const untilMs = monotonicMs() + pollSecondsMax * 1000;
  while ((await countUnpolled(db)) > 0 && monotonicMs() < untilMs) await sleep(1000);
  log(`${count - (await countUnpolled(db))} of ${count} tasks were polled`);
  return peak.stop();
}

/** Writes what the start of each task at the upstream would have written, as its last poll job. */
async function startGenerating(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into attempts (task_id, number, provider, reference, operation, unanswered,
         accepted_at)
       select id, 1, 'upstream', 'vg_' || id, '${runningPrefix}' || id, false, now() from tasks`,
    );
    await tx.query(`update tasks set status = 'generating', submitted_at = now()`);
    await tx.query(`update jobs set kind = 'poll', queue = 'polls', fence = 0`);
  });
  await db.runAlone('vacuum analyze');
}

async function countUnpolled(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from jobs where fence = 0',
  );
  return rows[0]!.count;
}
