/**
 * Creates and status requests over HTTP beside a bare server, and creates on one account beside
 * creates on many.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Database } from '../../server/database/database.ts';
import type { SeededAccount } from '../kit/seed.ts';
import { type BareServer, startBareServer } from './bare.ts';
import type { BenchContext } from './bench-context.ts';
import { type Comparison, compare } from './comparison.ts';
import { type Load, requestText, startLoad } from './load.ts';
import { type Contender, measureRounds } from './rounds.ts';
import { createBody, type ServiceStack, startServiceStack } from './service-stack.ts';

const connections = 64;

export const requestSections = ['create', 'hot', 'status'] as const;
type RequestSection = (typeof requestSections)[number];

export async function requestsBench(
  context: BenchContext,
  chosen: readonly RequestSection[],
): Promise<Comparison[]> {
  const { folder, log, options } = context;
  await using stack = new AsyncDisposableStack();
  const load = stack.use(startLoad());
  log('starting the service …');
  const service = stack.use(
    await startServiceStack({
      folder: join(folder, 'service'),
      accounts: options.accounts,
      roles: ['api'],
    }),
  );
  const { accounts, database } = service;
  await load.run({ ...jobOf(service, accounts), seconds: 60, count: 1000 });
  // As autovacuum does within a minute: without statistics PostgreSQL plans for empty tables.
  await database.db.runAlone('vacuum analyze');
  const bare = stack.use(
    await startBareServer({ folder: join(folder, 'bare'), accounts, like: database.db }),
  );
  const parts = { context, load, service, bare };
  const results: Comparison[] = [];
  if (chosen.includes('create')) results.push(await createSection(parts));
  if (chosen.includes('hot')) results.push(await hotSection(parts));
  if (chosen.includes('status')) results.push(await statusSection(parts));
  return results;
}

type Parts = {
  readonly context: BenchContext;
  readonly load: Load;
  readonly service: ServiceStack;
  readonly bare: BareServer;
};

const createOn = ({ key }: SeededAccount): string =>
  requestText({
    method: 'POST',
    path: '/v1/videos/generations',
    token: key,
    body: createBody,
  });

const jobOf = ({ port }: { readonly port: number }, accounts: readonly SeededAccount[]) => ({
  port,
  connections,
  requests: accounts.map(createOn),
});

const serviceContender = ({ pids, database }: ServiceStack) => ({
  service: pids,
  database: [database.pid],
  walBytes: database.walBytes,
});

const bareContender = ({ pid, database }: BareServer) => ({
  service: [pid],
  database: [database.pid],
  walBytes: database.walBytes,
});

async function createSection({ context, load, service, bare }: Parts): Promise<Comparison> {
  const job = jobOf(service, service.accounts);
  const batchSizes = new Map<string, number>();
  /** Counts the transactions that made the tasks of a run, before and after it is measured. */
  const counted = (name: string, db: Database): Pick<Contender, 'prepare' | 'finish'> => {
    let before = { tasks: 0, transactions: 0 };
    return {
      async prepare() {
        before = await countTasks(db);
      },
      async finish() {
        const after = await countTasks(db);
        const batches = after.transactions - before.transactions;
        batchSizes.set(name, (after.tasks - before.tasks) / batches);
      },
    };
  };
  const contenders: Contender[] = [
    {
      name: 'create',
      ...serviceContender(service),
      ...counted('create', service.database.db),
      run: (seconds) => load.run({ ...job, seconds }),
    },
    {
      name: 'bare insert',
      ...bareContender(bare),
      ...counted('bare', bare.database.db),
      run: (seconds) => {
        bare.setBatchSize(Math.max(1, Math.round(batchSizes.get('create')!)));
        return load.run({ ...job, port: bare.port, seconds });
      },
    },
  ];
  const [subject, limit] = await measureRounds(contenders, context.options, context.log);
  const [size, bareSize] = ['create', 'bare'].map((name) => batchSizes.get(name)!.toFixed(1));
  const notes = [
    `A transaction held ${size} creates of the service and ${bareSize} of the bare server.`,
  ];
  const title = `Create over HTTP, ${connections} connections, ${service.accounts.length} accounts`;
  const target = { field: 'totalMicros', bound: 'at most', ratio: 2 } as const;
  return compare({ id: 'create', title, target, notes }, subject!, limit!);
}

/** Every transaction that inserts tasks leaves its number on them. */
async function countTasks(db: Database): Promise<{ tasks: number; transactions: number }> {
  const { rows } = await db.query<{ tasks: number; transactions: number }>(
    `select count(*)::float8 as tasks, count(distinct xmin::text)::float8 as transactions
     from tasks`,
  );
  return rows[0]!;
}

async function hotSection({ context, load, service }: Parts): Promise<Comparison> {
  const { accounts } = service;
  const contender = (name: string, used: readonly SeededAccount[]): Contender => ({
    name,
    ...serviceContender(service),
    run: (seconds) => load.run({ ...jobOf(service, used), seconds }),
  });
  const [subject, limit] = await measureRounds(
    [
      contender('create on one account', accounts.slice(0, 1)),
      contender('create on many accounts', accounts),
    ],
    context.options,
    context.log,
  );
  const title = `Create on one account beside ${accounts.length} accounts`;
  const target = { field: 'perSecond', bound: 'at least', ratio: 1 } as const;
  return compare({ id: 'hot', title, target }, subject!, limit!);
}

async function statusSection({ context, load, service, bare }: Parts): Promise<Comparison> {
  const keys = new Map(service.accounts.map(({ accountId, key }) => [accountId, key]));
  const { rows } = await service.database.db.query<{ id: string; account: string }>(
    'select id, account_id as account from tasks order by id limit 1000',
  );
  const paths = rows.map(({ id, account }) => ({
    path: `/v1/tasks/${id}`,
    token: keys.get(account)!,
  }));
  const [one, other] = await Promise.all(
    [service.port, bare.port].map((port) => read(port, paths[0]!)),
  );
  assert.equal(other, one, 'the bare server sends another body');
  const requests = paths.map(requestText);
  bare.setBatchSize(connections / 2);
  const contender = (name: string, port: number, measured: Omit<Contender, 'name' | 'run'>) => ({
    name,
    ...measured,
    run: (seconds: number) => load.run({ port, connections, requests, seconds }),
  });
  const [subject, limit] = await measureRounds(
    [
      contender('status', service.port, { ...serviceContender(service), walBytes: noWal }),
      contender('bare read', bare.port, { ...bareContender(bare), walBytes: noWal }),
    ],
    context.options,
    context.log,
  );
  const title = `Status, ${connections} connections`;
  const target = { field: 'totalMicros', bound: 'at most', ratio: 1.5 } as const;
  return compare({ id: 'status', title, target }, subject!, limit!);
}

const noWal = async () => 0;

async function read(
  port: number,
  { path, token }: { readonly path: string; readonly token: string },
): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  return await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
}
