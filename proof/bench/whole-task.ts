/**
 * The whole life of a task, from the create to the delivered webhook, beside `pgbench` that runs
 * the statements of the same row changes in batches of the same size.
 */
import { join } from 'node:path';
import type { Database } from '../../server/database/database.ts';
import type { BenchContext } from './bench-context.ts';
import { type Comparison, compare } from './comparison.ts';
import { requestText, startLoad } from './load.ts';
import { type Outside, startOutside } from './outside.ts';
import { findPgbench, startPgbench } from './pgbench.ts';
import { type Contender, measureRounds, waitFor } from './rounds.ts';
import { createBody, type ServiceStack, startServiceStack } from './service-stack.ts';

const connections = 64;
/** Tasks in flight are limited by the number created in a round. */
const tasksPerSecond = 200;

export async function wholeTaskBench(context: BenchContext): Promise<Comparison[]> {
  const { folder, log, options } = context;
  const program = findPgbench();
  if (program === null) {
    log('skipped: there is no pgbench (on Debian: apt install postgresql-contrib)');
    return [];
  }
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(join(folder, 'outside')));
  const service = stack.use(
    await startServiceStack({
      folder: join(folder, 'whole'),
      accounts: options.accounts,
      roles: ['api', 'worker'],
      environment: { ...outside.environment, VIDGEN_POSTERS: 'off' },
    }),
  );
  const contender = stack.use(wholeTaskContender(service, outside));
  await contender.run(Math.max(1, options.warmUpSeconds));
  await service.database.db.runAlone('vacuum analyze');
  const { db } = service.database;
  const pgbench = stack.use(
    await startPgbench({ program, folder: join(folder, 'pgbench'), accounts: options.accounts }),
  );
  let batchSize = 1;
  const limitOf: Contender = {
    name: 'pgbench',
    service: [pgbench.pid],
    database: [pgbench.database.pid],
    walBytes: pgbench.database.walBytes,
    async prepare() {
      batchSize = await batchSizeOf(db);
    },
    run: (seconds) => pgbench.run({ seconds, batchSize }),
  };
  const [subject, limit] = await measureRounds([contender, limitOf], options, log);
  const size = await batchSizeOf(db);
  const notes = [
    `Reservations were committed ${size} at a time on average, and by pgbench, too.`,
    'Posters are off: they decode videos, which is no part of the limit.',
  ];
  const title = 'Create, settle and notify one task';
  const target = { field: 'totalMicros', bound: 'at most', ratio: 3 } as const;
  return [compare({ id: 'task', title, target, notes }, subject!, limit!)];
}

/** Creates tasks and waits until the webhook of each is delivered and recorded. */
export function wholeTaskContender(
  { accounts, port, pids, database }: ServiceStack,
  outside: Outside,
): Contender & Disposable {
  const load = startLoad();
  const callback_url = `http://127.0.0.1:${outside.port}/hook`;
  const body = { ...createBody, callback_url };
  const requests = accounts.map(({ key: token }) =>
    requestText({ method: 'POST', path: '/v1/videos/generations', token, body }),
  );
  return {
    name: 'task',
    service: pids,
    database: [database.pid],
    walBytes: database.walBytes,
    async run(seconds) {
      const count = Math.ceil(seconds * tasksPerSecond);
      const before = await outside.countWebhooks();
      const job = { port, connections, requests, count, seconds: 600 };
      const fromMs = performance.now();
      await load.run(job);
      const isReceived = async () => (await outside.countWebhooks()) >= before + count;
      await waitFor('the webhooks of all tasks', isReceived);
      await waitFor('the last job', async () => !(await hasWork(database.db)));
      return { requests: count, seconds: (performance.now() - fromMs) / 1000 };
    },
    [Symbol.dispose]: () => load[Symbol.dispose](),
  };
}

/** Whether a job is left other than the expiry of a result. */
async function hasWork(db: Database): Promise<boolean> {
  return (await db.query(`select from jobs where ready or lease_until is not null`)).rowCount > 0;
}

/** The average number of reservations in a transaction, from the last ten thousand. */
async function batchSizeOf(db: Database): Promise<number> {
  const { rows } = await db.query<{ size: number }>(
    `select round(count(*)::float8 / count(distinct xmin::text)) as size from (
       select xmin from ledger_entries where kind = 'reserve' order by id desc limit 10000) e`,
  );
  return Math.max(1, rows[0]!.size);
}
