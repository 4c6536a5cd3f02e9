/**
 * Two days of steady load with an hour in each round: whether tables whose rows come and go stay as
 * large as they are after the first day. Between rounds the clock of the database jumps, so that no
 * row is written for the passing of time. Sweeps run once in a round and autovacuum starts once per
 * second: both less often than in an hour of the service.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { createSession, endSession, sweepSessions } from '../../server/accounts/session.ts';
import { sleep } from '../../server/clock.ts';
import type { Database } from '../../server/database/database.ts';
import { sweepRateWindows } from '../../server/rate-limits/sweep-windows.ts';
import { deleteExpiredKeys } from '../../server/tasks/idempotency.ts';
import { foldTaskCounts } from '../../server/tasks/store.ts';
import { addUsageDay } from '../../server/tasks/usage-days.ts';
import { foldDeliveryCounts } from '../../server/webhooks/delivery.ts';
import { seedPerson } from '../kit/people.ts';
import type { BenchContext } from './bench-context.ts';
import { type Load, requestText, startLoad } from './load.ts';
import { type Outside, startOutside } from './outside.ts';
import { createBody, type ServiceStack, startServiceStack } from './service-stack.ts';
import { waitFor } from './wait-for.ts';

export const dayTables = [
  'jobs',
  'idempotency_keys',
  'create_windows',
  'status_rounds',
  'sessions',
  'task_counts',
  'delivery_counts',
] as const;
type DayTable = (typeof dayTables)[number];

/** At the end of an hour. Sizes are in bytes. */
export type TableSample = {
  readonly rows: number;
  readonly deadRows: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
};
export type DayResult = {
  readonly tasksPerHour: number;
  readonly hours: readonly Readonly<Record<DayTable, TableSample>>[];
};

const tasksPerHour = 200;
const accounts = 50;
const sessionsPerHour = 20;
/** Results and idempotency keys live for 24 and 25 hours, so that the day after is steady. */
const sessionHours = 12;
/** Pauses let autovacuum start, which looks once a second. */
const pauseMs = 1_000;

export async function dayBench({ folder, log, options }: BenchContext): Promise<DayResult> {
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(join(folder, 'outside')));
  const load = stack.use(startLoad());
  const service = stack.use(
    await startServiceStack({
      ...{ folder: join(folder, 'day'), accounts, roles: ['all'], prepareUrl: installClock },
      environment: {
        ...outside.environment,
        ...{ VIDGEN_RATE_CREATE: '100000', VIDGEN_RATE_STATUS: '100000' },
      },
    }),
  );
  const { db } = service.database;
  const person = await seedPerson(db);
  const sessions: string[][] = [];
  const hours: DayResult['hours'][number][] = [];
  for (let hour = 1; hour <= options.dayHours; hour++) {
    await runTasks({ service, outside, load });
    sessions.push(await signIn(db, person.id));
    if (sessions.length > sessionHours) await signOut(db, person.id, sessions.shift()!);
    await sweep(db);
    await sleep(pauseMs);
    const sample = await sampleTables(db);
    hours.push(sample);
    log(`hour ${hour}: ${describe(sample)}`);
    await db.query(`update bench_clock set shift = shift + interval '1 hour'`);
  }
  return { tasksPerHour, hours };
}

/** The service finds these functions before those of PostgreSQL, also in defaults of columns. */
async function installClock(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    create table bench_clock as select interval '0' as shift;
    create function public.now() returns timestamptz stable language sql
      as $$ select pg_catalog.now() + (select shift from public.bench_clock) $$;
    create function public.clock_timestamp() returns timestamptz volatile language sql
      as $$ select pg_catalog.clock_timestamp() + (select shift from public.bench_clock) $$`);
  await client.query(`alter system set autovacuum_naptime = '1s'`);
  await client.query('select pg_reload_conf()');
  await client.end();
  const shifted = new URL(url);
  shifted.searchParams.set('options', '-c search_path=public,pg_catalog');
  return shifted.href;
}

/** Creates tasks and waits until each is settled and notified, and old results have expired. */
async function runTasks({
  service: { accounts, port, database },
  outside,
  load,
}: {
  readonly service: ServiceStack;
  readonly outside: Outside;
  readonly load: Load;
}): Promise<void> {
  const callback_url = `http://127.0.0.1:${outside.port}/hook`;
  const keyOf = (at: number) => accounts[at % accounts.length]!.key;
  const requests = Array.from({ length: tasksPerHour }, (_, at) =>
    requestText({
      ...{ method: 'POST', path: '/v1/videos/generations', token: keyOf(at) },
      ...{ body: { ...createBody, callback_url }, headers: { 'Idempotency-Key': randomUUID() } },
    }),
  );
  const job = { port, connections: 8, seconds: 600 };
  await load.run({ ...job, requests, count: tasksPerHour });
  const reads = accounts.map(({ key }) => requestText({ path: '/v1/tasks?limit=1', token: key }));
  await load.run({ ...job, requests: reads, count: accounts.length });
  const dueSql = `select from jobs where kind <> 'expire' or run_at <= now() limit 1`;
  await waitFor('all jobs', async () => (await database.db.query(dueSql)).rowCount === 0);
}

async function signIn(db: Database, personId: string): Promise<string[]> {
  const request = { personId, address: '127.0.0.1', agent: 'bench' };
  return await db.transaction(async (tx) => {
    const ids: string[] = [];
    for (let nth = 0; nth < sessionsPerHour; nth++) ids.push((await createSession(tx, request)).id);
    return ids;
  });
}

async function signOut(db: Database, personId: string, ids: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const sessionId of ids) await endSession(tx, { personId, sessionId });
  });
}

/** What a process of the service does every minute. */
async function sweep(db: Database): Promise<void> {
  while (await deleteExpiredKeys(db));
  await foldTaskCounts(db);
  await foldDeliveryCounts(db);
  await db.transaction((tx) => addUsageDay(tx));
  await db.transaction((tx) => sweepRateWindows(tx));
  await db.transaction((tx) => sweepSessions(tx));
}

async function sampleTables(db: Database): Promise<DayResult['hours'][number]> {
  const samples: [DayTable, TableSample][] = [];
  for (const table of dayTables) {
    const { rows } = await db.query<TableSample>(
      `select (select count(*) from ${table}) as rows, n_dead_tup as "deadRows",
         pg_table_size(relid) as "tableBytes", pg_indexes_size(relid) as "indexBytes"
       from pg_stat_user_tables where relname = $1`,
      [table],
    );
    samples.push([table, rows[0]!]);
  }
  return Object.fromEntries(samples) as DayResult['hours'][number];
}

export const bytesOf = ({ tableBytes, indexBytes }: TableSample): number => tableBytes + indexBytes;

const describe = (sample: DayResult['hours'][number]): string =>
  dayTables
    .map((table) => {
      const { rows, deadRows } = sample[table];
      return `${table} ${rows} + ${deadRows} dead, ${Math.round(bytesOf(sample[table]) / 1024)} kB`;
    })
    .join('; ');
