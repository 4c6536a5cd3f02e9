/** Tasks that wait for providers get the room there is, once, and look again when routes change. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { useDatabase } from '../../../proof/kit/scratch-database.ts';
import { createOf, seedAccount } from '../../../proof/kit/seed.ts';
import { claim } from '../../queue/claim.ts';
import { waitForCapacity } from '../../queue/waiting.ts';
import { openAttempt } from '../../tasks/attempts.ts';
import type { Task } from '../../tasks/task.ts';
import { createAcceptTask } from '../accept.ts';
import { CapacityWaits, type LifecycleContext } from '../context.ts';
import { chooseProvider, createWaker, waitOf } from './provider-capacity.ts';
import { createSubmitBatches } from './submit-batches.ts';

const scratch = await useDatabase();
const account = await seedAccount(scratch.db, { credits: 1000 });
beforeEach(async () => {
  for (const table of ['jobs', 'attempts']) await scratch.db.query(`delete from ${table}`);
});

type Fake = { readonly availableStarts: number; readonly concurrency?: number };

/** A process whose providers have this health and these limits. */
function processWith(providers: Record<string, Fake>, routes: { names: string[] }) {
  const registry = {
    availableStarts: (name: string) => providers[name]?.availableStarts ?? 0,
    limitsOf: (name: string) => ({ concurrency: providers[name]?.concurrency }),
    modelNames: () => ['vidgen-2-5'],
    routeNames: () => routes.names,
    routeFor: () => routes.names.map((name) => ({ name })),
    waitForStart: async () => false,
  };
  const submits = createSubmitBatches(scratch);
  const { db } = scratch;
  const capacityWaits = new CapacityWaits();
  const deps = { db, submits, providers: registry, capacityWaits } as unknown as LifecycleContext;
  return Object.assign(createWaker(deps), { capacityWaits, deps });
}

const take = () =>
  claim(scratch.db, {
    ...({ owner: 'a', queue: 'default', jobsMax: 1000, includeIsolated: true } as const),
    perAccountMax: 1000,
    perReceiverMax: 1000,
  });

async function newJobs(count: number, owner = account) {
  const accept = createAcceptTask(scratch);
  await Promise.all(Array.from({ length: count }, () => accept(createOf(owner, { credits: 1 }))));
  return await take();
}

async function waiting(
  providers: readonly string[],
  count: number,
  owner = account,
): Promise<void> {
  const task = { model: 'vidgen-2-0-mini', secondsLeft: 300 } as const;
  const jobs = await newJobs(count, owner);
  await waitForCapacity(
    scratch.db,
    jobs.map((job) => waitOf({ task, job }, providers)),
  );
}

async function startAt(provider: string, count: number): Promise<void> {
  for (const { taskId } of await newJobs(count)) await open(provider, taskId);
}

async function open(provider: string, taskId: string): Promise<void> {
  const attempt = { taskId, provider, credential: null, reference: `ref ${taskId}` };
  await scratch.db.transaction((tx) => openAttempt(tx, attempt));
}

const unlimited = { availableStarts: Number.POSITIVE_INFINITY };

test('as many are woken as there is room for: one on a trial, none in a pause', async () => {
  const routes = { names: ['gpu'] };
  const cases: readonly [Fake, woken: number][] = [
    [{ ...unlimited, concurrency: 5 }, 3],
    [{ ...unlimited, concurrency: 1 }, 0],
    [unlimited, 6],
    [{ availableStarts: 1 }, 1],
    [{ availableStarts: 0 }, 0],
  ];
  for (const [gpu, woken] of cases) {
    for (const table of ['jobs', 'attempts']) await scratch.db.query(`delete from ${table}`);
    const providers: Record<string, Fake> = {};
    const wakeWaiting = processWith(providers, routes);
    await wakeWaiting();
    providers.gpu = gpu;
    await startAt('gpu', 2);
    await waiting(['gpu'], 6);
    await wakeWaiting();
    // Those that were woken have taken nothing yet, but it is theirs.
    await wakeWaiting();
    assert.equal((await take()).length, woken, JSON.stringify(gpu));
  }
});

test('room that several sets of tasks wait for is given once', async () => {
  const providers: Record<string, Fake> = {};
  const wakeWaiting = processWith(providers, { names: ['a', 'b'] });
  await wakeWaiting();
  Object.assign(providers, {
    a: { ...unlimited, concurrency: 2 },
    b: { ...unlimited, concurrency: 1 },
  });
  await waiting(['a', 'b'], 4);
  await waiting(['a'], 4);
  await wakeWaiting();
  assert.equal((await take()).length, 3);
});

test('a task whose capacity was counted to wake it takes it without counting again', async () => {
  const providers: Record<string, Fake> = {};
  const wakeWaiting = processWith(providers, { names: ['gpu'] });
  await wakeWaiting();
  providers.gpu = { ...unlimited, concurrency: 1 };
  await waiting(['gpu'], 1);
  const [other] = await newJobs(1);
  await wakeWaiting();
  const [job] = await take();
  const task = {
    accountId: account.accountId,
    model: 'vidgen-2-0-mini',
    imageFormats: [],
  } as unknown as Task;
  const choose = async () =>
    (await chooseProvider(wakeWaiting.deps, { task, job: job!, attempts: [], allowRetry: true }))
      .choice;
  await open('gpu', other!.taskId);
  assert.equal(await choose(), 'provider');
  // The intent was not written, as another process has taken it.
  wakeWaiting.capacityWaits.endTurn(job!.id);
  assert.equal(await choose(), 'wait');
});

test('accounts take turns, also after a round without room', async () => {
  const others = await Promise.all([1, 2].map(() => seedAccount(scratch.db, { credits: 100 })));
  const providers = { gpu: { availableStarts: 1 } };
  const wakeWaiting = processWith(providers, { names: ['gpu'] });
  await wakeWaiting();
  for (const one of others) await waiting(['gpu'], 6, one);
  const woken: string[] = [];
  for (let round = 0; round < 6; round++) {
    providers.gpu.availableStarts = 0;
    await wakeWaiting();
    providers.gpu.availableStarts = 1;
    await wakeWaiting();
    for (const { id, accountId } of await take()) {
      woken.push(accountId);
      wakeWaiting.capacityWaits.endTurn(id);
    }
  }
  for (const { accountId } of others) {
    assert.equal(woken.filter((id) => id === accountId).length, 3);
  }
});

test('all tasks that wait look again when a route changes', async () => {
  const routes = { names: ['gpu'] };
  const wakeWaiting = processWith({}, routes);
  await wakeWaiting();
  await waiting(['gpu'], 3);
  await wakeWaiting();
  const isDue = `select from jobs where run_at <= now()`;
  assert.equal((await scratch.db.query(isDue)).rowCount, 0);
  routes.names = ['other', 'gpu'];
  await wakeWaiting();
  assert.equal((await scratch.db.query(isDue)).rowCount, 3);
});
