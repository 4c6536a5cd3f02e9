/**
 * 5,000 generations that end at the same time at an upstream with rate limits: the time until the
 * last task is final, against a client that only reads the same statuses and downloads the same
 * files within the same limits.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { monotonicMs, sleep } from '../../server/process/clock.ts';
import { reservePort, ServiceProcess } from '../faults/service-process.ts';
import { FakeModelArk, fakeModels } from '../kit/modelark/fake.ts';
import { cloneDatabase, startPostgres } from '../kit/postgres.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { clientOf, makeAccount, testAdminToken } from '../kit/service.ts';
import { runBaseline } from './baseline-client.ts';

/** ModelArk's limits per account: requests per second, and tasks per list page. */
const limits = { getPerSecond: 20, listPerSecond: 1, pageSize: 500 } as const;
const tasksMax = 5_000;
const smallAccounts = 50;
const clients = 32;
/** One task in five has a callback URL. */
const callbackEvery = 5;
/** Half of the typical time: from then on generations may end. */
const youngSeconds = 75;
const pollMs = 250;

type CompletionResult = {
  /** From the end of the generations to the end of the last task. */
  readonly seconds: number;
  readonly baselineSeconds: number;
  readonly memoryMb: number;
  /** Completed and charged tasks. */
  readonly charged: number;
  readonly polls: { readonly get: number; readonly list: number; readonly limited: number };
  readonly audit: string;
};

export async function simultaneousCompletionBench(log: (line: string) => void): Promise<string> {
  const found = await runSimultaneousCompletion(log);
  const { get, list, limited } = found.polls;
  const late = found.seconds - found.baselineSeconds;
  const times = [found.seconds, found.baselineSeconds, late].map((one) => one.toFixed(1));
  const { memoryMb, charged, audit } = found;
  const cells = [...times, memoryMb, `${get} + ${list}`, limited, charged, audit];
  const { getPerSecond, listPerSecond, pageSize } = limits;
  return `## ${tasksMax} generations that end at the same time

At an upstream that allows ${getPerSecond} polls per second and ${listPerSecond} list of
at most ${pageSize} tasks. Baseline: a client that only reads the same statuses and downloads the
same files within the same limits. Polls: single ones + lists.

| last final after, s | baseline, s | late by, s | peak memory, MB | polls | throttled | \
charged | audit |
|---|---|---|---|---|---|---|---|
| ${cells.join(' | ')} |
`;
}

async function runSimultaneousCompletion(
  log: (line: string) => void,
  tasks = tasksMax,
): Promise<CompletionResult> {
  await using stack = new AsyncDisposableStack();
  const fake = stack.use(await FakeModelArk.start(limits));
  const receiver = stack.adopt(await startReceiver(), (one) => one.close());
  const service = await startProcess(fake, stack);

  log(`${tasks} generations …`);
  await createTasks(service.url, { receiver, tasks });
  await until(async () => fake.tasks().length === tasks);
  for (const { id } of fake.tasks()) fake.advance(id, 'running');
  log(`all are generating, ${peakMemoryMb(service.pid)} MB; waiting until they usually end …`);
  await sleep(youngSeconds * 1000);

  const pollsBefore = countPolls(fake);
  const soFar = `${peakMemoryMb(service.pid)} MB, ${JSON.stringify(pollsBefore)}`;
  log(`now all end; until now ${soFar}`);
  const fromMs = monotonicMs();
  for (const { id } of fake.tasks()) fake.advance(id, 'succeeded');
  await until(async () => (await countTasks(service.url)).final === tasks);
  const seconds = (monotonicMs() - fromMs) / 1000;

  const pollsAfter = countPolls(fake);
  const memoryMb = peakMemoryMb(service.pid);
  const { charged } = await countTasks(service.url);
  const { body: audit } = await clientOf(service.url, testAdminToken).get('/admin/audit');
  log(`all final after ${seconds.toFixed(1)} s; a bare client reads the same …`);
  const baselineSeconds = await runBaseline(fake, limits);
  return {
    seconds,
    baselineSeconds,
    memoryMb,
    charged,
    polls: {
      get: pollsAfter.get - pollsBefore.get,
      list: pollsAfter.list - pollsBefore.list,
      limited: pollsAfter.limited - pollsBefore.limited,
    },
    audit: audit.ok === true ? 'clean' : JSON.stringify(audit),
  };
}

/**
 * Runs the service without a public URL: it must poll, since the upstream cannot send callbacks.
 */
async function startProcess(
  fake: FakeModelArk,
  stack: AsyncDisposableStack,
): Promise<ServiceProcess> {
  const home = await mkdtemp(join(tmpdir(), 'vidgen-bench-'));
  stack.defer(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const configFile = join(home, 'bench.config.mjs');
  await writeFile(configFile, configText(fake.baseUrl));
  const server = await startPostgres({ durable: true });
  stack.defer(() => server.stop());
  const database = await cloneDatabase(server.url, 'template0');
  stack.defer(() => database.drop());
  const service = new ServiceProcess({
    environment: {
      VIDGEN_HOME: home,
      VIDGEN_CONFIG: configFile,
      ARK_API_KEY: fake.apiKey,
      PORT: String(await reservePort()),
      VIDGEN_ADMIN_TOKEN: testAdminToken,
      VIDGEN_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      VIDGEN_LOG_LEVEL: 'warn',
      VIDGEN_SELF_TEST: 'off',
      VIDGEN_RATE_CREATE: '0',
      VIDGEN_RATE_STATUS: '0',
      VIDGEN_DATABASE_URL: database.url,
    },
    logFile: join(home, 'service.log'),
  });
  stack.defer(async () => void (await service.kill()));
  await service.waitUntilServing();
  return service;
}

function configText(baseUrl: string): string {
  const apiKey = { env: 'ARK_API_KEY' };
  const providers = { fake: { kind: 'modelark', baseUrl, apiKey, models: fakeModels } };
  const routes = Object.fromEntries(modelNames.map((model) => [model, ['fake']]));
  return `export default ${JSON.stringify({ providers, routes })};\n`;
}

/** Half of the tasks belong to one account, the other half to many. */
async function createTasks(
  url: string,
  { receiver, tasks }: { receiver: Receiver; tasks: number },
): Promise<void> {
  const admin = clientOf(url, testAdminToken);
  const accounts: Awaited<ReturnType<typeof makeAccount>>[] = [];
  for (let made = 0; made <= smallAccounts; made++) {
    accounts.push(await makeAccount(url, admin, { live: 1_000_000 }));
  }
  let next = 0;
  const client = async () => {
    for (let at = next++; at < tasks; at = next++) {
      const account = accounts[at % 2 === 0 ? 0 : 1 + (at % smallAccounts)]!;
      const { status, body } = await account.client.create({
        model: 'vidgen-2-0-mini',
        input: { prompt: `Paper boat ${at} drifts on a quiet lake`, resolution: '480p' },
        ...(at % callbackEvery === 0 ? { callback_url: receiver.url } : {}),
      });
      if (status !== 200) throw new Error(`a create returned ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(pollMs);
}

function countPolls(fake: FakeModelArk) {
  const countOf = (kind: string) =>
    fake.requests.filter(({ operation }) => operation === kind).length;
  return { get: countOf('get'), list: countOf('list'), limited: fake.limited };
}

/** Read from the metrics. */
async function countTasks(url: string): Promise<{ final: number; charged: number }> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${testAdminToken}` },
  });
  const text = await response.text();
  const sum = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    final: sum(/^vidgen_tasks\{status="(?:completed|failed)".*\} (\d+)$/gm),
    charged: sum(/^vidgen_tasks\{status="completed",billing_status="charged"\} (\d+)$/gm),
  };
}

/** The peak memory of the process. */
function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
