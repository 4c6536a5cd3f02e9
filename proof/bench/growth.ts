/**
 * What requests and jobs cost with many tasks in the tables, beside the same with ten thousand.
 * Each is measured in turns on two installations that differ in nothing else.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testAdminToken } from '../kit/service.ts';
import type { BenchContext } from './bench-context.ts';
import { compare, describeResult, table } from './comparison.ts';
import { loadHistory } from './history.ts';
import { type Load, requestText, startLoad } from './load.ts';
import { type Outside, startOutside } from './outside.ts';
import { type Contender, measureRounds, type Work } from './rounds.ts';
import { createBody, type ServiceStack, startServiceStack } from './service-stack.ts';
import { wholeTaskContender } from './whole-task.ts';

const tasksFewMax = 10_000;
const target = { field: 'totalMicros', bound: 'at most', ratio: 1.15 } as const;

type Side = { readonly stack: ServiceStack; readonly tasks: number };
type Operation = (side: Side) => Promise<Contender & Partial<Disposable>>;

export async function growthBench({ folder, log, options }: BenchContext): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(join(folder, 'outside')));
  const load = stack.use(startLoad());
  const open = async (name: string, tasks: number): Promise<Side> => {
    log(`loading ${tasks} tasks …`);
    const side = await startServiceStack({
      folder: join(folder, name),
      accounts: options.accounts,
      roles: ['api'],
      environment: outside.environment,
      prepare: ({ db }) => loadHistory(db, { tasks, log }),
    });
    return { stack: stack.use(side), tasks };
  };
  // A smaller size is for trying the harness out.
  const tasksFew = Math.min(tasksFewMax, options.growthTasks);
  const sides = [await open('many', options.growthTasks), await open('few', tasksFew)];
  const rows: string[][] = [];
  for (const [name, operation] of Object.entries(operations(load, outside))) {
    log(`${name} …`);
    const contenders: (Contender & Partial<Disposable>)[] = [];
    for (const side of sides) contenders.push(await operation(side));
    const rounds = { ...options, seconds: Math.min(options.seconds, 1), warmUpSeconds: 0.5 };
    const [many, few] = await measureRounds(contenders, rounds, log);
    for (const one of contenders) one[Symbol.dispose]?.();
    const comparison = compare({ id: name, title: name, target }, many!, few!);
    const micros = [few!, many!].map(({ totalMicros }) => totalMicros.toFixed(0));
    rows.push([name, ...micros, describeResult(comparison)]);
  }
  const header = [
    '',
    ...[tasksFew, options.growthTasks].map((tasks) => `${tasksLabel(tasks)}, µs`),
  ];
  const title = `Growth to ${tasksLabel(options.growthTasks)}, three ledger entries each`;
  return [`### ${title}`, '', ...table([...header, 'result'], rows), ''].join('\n');
}

/**
 * The order matters: nothing may work on the jobs that claims need, or that creates leave. Pages
 * are as long as an account can fill them on both sides, which has 10 of 10,000 tasks.
 */
function operations(load: Load, outside: Outside): Readonly<Record<string, Operation>> {
  const http =
    (requestsOf: (side: Side) => string[] | Promise<string[]>, connections: number): Operation =>
    async (side) => {
      const requests = await requestsOf(side);
      const { port } = side.stack;
      const run = (seconds: number) => load.run({ port, connections, requests, seconds });
      return { ...measuredOf(side), run };
    };
  const admin = (path: (accountId: string) => string, connections = 4): Operation =>
    http(
      ({ stack }) =>
        stack.accounts.map(({ accountId }) =>
          requestText({ path: path(accountId), token: testAdminToken }),
        ),
      connections,
    );
  return {
    claim: (side) => claimContender(side, load),
    settle: (side) => settleContender(side, outside),
    status: http(statusRequests, 32),
    list: http(
      ({ stack }) =>
        stack.accounts.map(({ key: token }) => requestText({ path: '/v1/tasks?limit=10', token })),
      4,
    ),
    statement: admin((id) => `/admin/accounts/${id}/ledger?limit=20`),
    'usage of 30 days': admin((id) => `/admin/accounts/${id}/usage?mode=live`, 2),
    search: admin((id) => `/admin/accounts/${id}/tasks?status=failed&limit=1`),
    'search everywhere': admin(() => '/admin/tasks?status=failed&limit=20'),
    deliveries: admin((id) => `/admin/accounts/${id}/deliveries?limit=10`),
    metrics: admin(() => '/metrics'),
    'audit slice': admin(() => '/admin/audit?scope=new', 1),
    create: http(createRequests, 32),
  };
}

const tasksLabel = (tasks: number): string => `${tasks.toLocaleString('en-US')} tasks`;

const measuredOf = ({ stack: { pids, database }, tasks }: Side) => ({
  name: tasksLabel(tasks),
  service: pids,
  database: [database.pid],
  walBytes: database.walBytes,
});

const createRequests = ({ stack: { accounts } }: Side): string[] =>
  accounts.map(({ key: token }) =>
    requestText({ method: 'POST', path: '/v1/videos/generations', token, body: createBody }),
  );

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

/** Jobs of 64 accounts wait. */
async function claimContender(side: Side, load: Load): Promise<Contender & Disposable> {
  const { database, port } = side.stack;
  const requests = createRequests(side).slice(0, 64);
  await load.run({ port, connections: 8, requests, seconds: 60, count: requests.length });
  const child = fork(new URL('./claim-process.ts', import.meta.url), [database.url]);
  await once(child, 'message');
  return {
    name: tasksLabel(side.tasks),
    service: [child.pid!],
    database: [database.pid],
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
    ...whole,
    name: tasksLabel(side.tasks),
    [Symbol.dispose]() {
      whole[Symbol.dispose]();
      worker.signal('SIGTERM');
    },
  };
}
