/**
 * What requests and jobs cost with many tasks in the tables, beside the same with ten thousand.
 * Each is measured in turns on two installations that differ in nothing else.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { UsageResponse } from '@vidgen/contract/usage.ts';
import { nowMs } from '../../server/clock.ts';
import { testAdminToken } from '../kit/service.ts';
import type { BenchContext, SectionResult } from './bench-context.ts';
import { type Comparison, compare } from './comparison.ts';
import { loadHistory } from './history.ts';
import { type Load, requestText, startLoad } from './load.ts';
import { type Outside, startOutside } from './outside.ts';
import { type Contender, measureRounds, type Work } from './rounds.ts';
import { createBody, type ServiceStack, startServiceStack } from './service-stack.ts';
import { waitFor } from './wait-for.ts';
import { hasWork, wholeTaskContender } from './whole-task.ts';

const tasksFewMax = 10_000;
const dayMs = 86_400_000;
/** An account has them in a month of 10,000 tasks. */
const usageRows = 4;
const usageDaysMax = 60;
const target = { field: 'totalMicros', bound: 'at most', ratio: 1.15 } as const;

type Side = { readonly stack: ServiceStack; readonly tasks: number };
type Operation = {
  readonly name: string;
  readonly contender: (side: Side) => Promise<Contender & Partial<Disposable>>;
};

export async function growthBench(context: BenchContext): Promise<SectionResult> {
  const { folder, log, options } = context;
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(join(folder, 'outside')));
  const load = stack.use(startLoad());
  const open = async (name: string, tasks: number): Promise<Side> => {
    log(`loading ${tasks} tasks …`);
    const kept = options.growthFolder && join(options.growthFolder, String(tasks));
    const side = await startServiceStack({
      ...{ folder: join(folder, name), databaseFolder: kept, accounts: options.accounts },
      ...{ roles: ['api'], environment: outside.environment },
      prepare: ({ db }) => loadHistory(db, { tasks, log }),
    });
    return { stack: stack.use(side), tasks };
  };
  // A smaller size is for trying the harness out.
  const tasksFew = Math.min(tasksFewMax, options.growthTasks);
  const sides = [await open('many', options.growthTasks), await open('few', tasksFew)];
  const bytesPerTask = await readBytesPerTask(sides[0]!);
  const comparisons: Comparison[] = [];
  for (const { name, contender } of operations(load, outside)) {
    log(`${name} …`);
    const contenders: (Contender & Partial<Disposable>)[] = [];
    for (const side of sides) contenders.push(await contender(side));
    const rounds = { ...options, seconds: Math.min(options.seconds, 1), warmUpSeconds: 0.5 };
    const [many, few] = await measureRounds(contenders, rounds, log);
    for (const one of contenders) one[Symbol.dispose]?.();
    const title = `${name}, ${nameOf(options.growthTasks)} beside ${nameOf(tasksFew)}`;
    comparisons.push(
      compare({ id: `growth-${name.replaceAll(' ', '-')}`, title, target }, many!, few!),
    );
  }
  if (options.growthFolder) for (const side of sides) await finishTasks(side, log);
  return { comparisons, bytesPerTask };
}

/** The tables of one database hold nothing but tasks, apart from accounts and keys. */
async function readBytesPerTask({ stack, tasks }: Side): Promise<number> {
  const { rows } = await stack.database.db.query<{ bytes: number }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return rows[0]!.bytes / tasks;
}

/** Ends the tasks that creates have left: the next run would have to wait for them. */
async function finishTasks({ stack, tasks }: Side, log: (line: string) => void): Promise<void> {
  log(`finishing what is left with ${tasks} tasks …`);
  const worker = await stack.start('worker');
  const isDone = async () => !(await hasWork(stack.database.db));
  await waitFor('the tasks that are left', isDone, { msMax: 3_600_000 });
  await worker.stop();
}

/**
 * The order matters: nothing may work on the jobs that claims need, or that creates leave. Pages
 * are as long as an account can fill them on both sides, which has 10 of 10,000 tasks. So is the
 * response about usage; that of 30 days has as many rows as there are days and statuses.
 */
function operations(load: Load, outside: Outside): Operation[] {
  const admin = (path: (accountId: string) => string) => (side: Side) => adminRequests(side, path);
  const http = (
    name: string,
    requestsOf: (side: Side) => string[] | Promise<string[]>,
    connections = 4,
  ): Operation => ({
    name,
    contender: async (side) => {
      const requests = await requestsOf(side);
      const { port } = side.stack;
      const run = (seconds: number) => load.run({ port, connections, requests, seconds });
      return { ...measuredOf(side), run };
    },
  });
  return [
    { name: 'claim', contender: (side) => claimContender(side, load) },
    { name: 'settle', contender: (side) => settleContender(side, outside) },
    http('status', statusRequests, 32),
    http('list', ({ stack }) =>
      stack.accounts.map(({ key: token }) => requestText({ path: '/v1/tasks?limit=10', token })),
    ),
    http(
      'statement',
      admin((id) => `/admin/accounts/${id}/ledger?limit=20`),
    ),
    http('usage', usageRequests, 2),
    http(
      'usage of 30 days',
      admin((id) => usagePath(id)),
      2,
    ),
    http(
      'search',
      admin((id) => `/admin/accounts/${id}/tasks?status=failed&limit=1`),
    ),
    http(
      'search everywhere',
      admin(() => '/admin/tasks?status=failed&limit=20'),
    ),
    http(
      'search in vain',
      admin((id) => `/admin/accounts/${id}/tasks?failed_reason=timed_out`),
    ),
    http(
      'deliveries',
      admin((id) => `/admin/accounts/${id}/deliveries?limit=10`),
    ),
    http(
      'accounts',
      admin(() => '/admin/accounts?limit=20'),
    ),
    http(
      'summary',
      admin(() => '/admin/summary'),
    ),
    http(
      'metrics',
      admin(() => '/metrics'),
    ),
    http(
      'audit slice',
      admin(() => '/admin/audit?scope=new'),
      1,
    ),
    http('create', createRequests, 32),
  ];
}

const nameOf = (tasks: number): string => `${tasks.toLocaleString('en-US')} tasks`;

const measuredOf = ({ stack: { pids, database }, tasks }: Side) => ({
  name: nameOf(tasks),
  service: pids,
  database: [database.pid],
  walBytes: database.walBytes,
});

const createRequests = ({ stack: { accounts } }: Side): string[] =>
  accounts.map(({ key: token }) =>
    requestText({ method: 'POST', path: '/v1/videos/generations', token, body: createBody }),
  );

/** Tasks from all of the history. */
async function statusRequests({ stack: { accounts, database } }: Side): Promise<string[]> {
  const keys = new Map(accounts.map(({ accountId, key }) => [accountId, key]));
  const select = `select t.id, t.account_id as account from accounts a cross join lateral (
    select id, account_id from tasks where account_id = a.id order by id limit 1 offset 5) t`;
  // Reads all of a history that may not be in memory.
  const { rows } = await database.db.transaction(
    (tx) => tx.query<{ id: string; account: string }>(select),
    { statementMsMax: 600_000 },
  );
  return rows.map(({ id, account }) =>
    requestText({ path: `/v1/tasks/${id}`, token: keys.get(account)! }),
  );
}

const usagePath = (accountId: string, period = ''): string =>
  `/admin/accounts/${accountId}/usage?mode=live${period}`;

/** Whole days until yesterday: as few as have a response of `usageRows`. */
async function usageRequests(side: Side): Promise<string[]> {
  const { accounts, port } = side.stack;
  const until = Math.floor(nowMs() / dayMs) * dayMs - dayMs;
  for (let days = 1; ; days++) {
    const [after, before] = [until - days * dayMs, until].map((ms) => ms / 1000);
    const period = `&created_after=${after}&created_before=${before}`;
    const url = `http://127.0.0.1:${port}${usagePath(accounts[0]!.accountId, period)}`;
    const headers = { authorization: `Bearer ${testAdminToken}` };
    const { rows } = (await (await fetch(url, { headers })).json()) as UsageResponse;
    const isLongEnough = rows.length >= usageRows || days === usageDaysMax;
    if (isLongEnough) return adminRequests(side, (id) => usagePath(id, period));
  }
}

const adminRequests = ({ stack }: Side, path: (accountId: string) => string): string[] =>
  stack.accounts.map(({ accountId }) =>
    requestText({ path: path(accountId), token: testAdminToken }),
  );

/** Jobs of 64 accounts wait. */
async function claimContender(side: Side, load: Load): Promise<Contender & Disposable> {
  const { database, port } = side.stack;
  const requests = createRequests(side).slice(0, 64);
  await load.run({ port, connections: 8, requests, seconds: 60, count: requests.length });
  const child = fork(new URL('./claim-process.ts', import.meta.url), [database.url]);
  await once(child, 'message');
  return {
    ...{ name: nameOf(side.tasks), service: [child.pid!], database: [database.pid] },
    async run(seconds) {
      child.send(seconds);
      return ((await once(child, 'message')) as [Work])[0];
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Whole tasks, as a settlement needs the steps before it. */
async function settleContender(side: Side, outside: Outside): Promise<Contender & Disposable> {
  const worker = await side.stack.start('worker');
  const { stack } = side;
  const whole = wholeTaskContender({ ...stack, pids: [...stack.pids, worker.pid] }, outside);
  return {
    ...{ ...whole, name: nameOf(side.tasks) },
    [Symbol.dispose]() {
      whole[Symbol.dispose]();
      worker.signal('SIGTERM');
    },
  };
}
