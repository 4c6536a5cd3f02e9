/**
 * 5,000 generations that end at the same time at an upstream with rate limits: the time until the
 * last task is final, beside the least time that reading their statuses takes within the limits.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { monotonicMs, sleep } from '../../server/process/clock.ts';
import { FakeModelArk, fakeModels } from '../kit/modelark/fake.ts';
import { startReceiver } from '../kit/receiver.ts';
import type { SeededAccount } from '../kit/seed.ts';
import { clientOf, testAdminToken } from '../kit/service.ts';
import type { BenchContext } from './bench-context.ts';
import { table } from './comparison.ts';
import { waitFor } from './rounds.ts';
import { createBody, startServiceStack } from './service-stack.ts';

/** ModelArk's limits per account: requests per second, and tasks per list page. */
const limits = { getPerSecond: 20, listPerSecond: 1, pageSize: 500 } as const;
const { getPerSecond, listPerSecond, pageSize } = limits;
const tasks = 5_000;
const smallAccounts = 50;
const clients = 32;
/** One task in five has a callback URL. */
const callbackEvery = 5;
/** Half of the typical time: from then on generations may end. */
const youngSeconds = 75;

export async function simultaneousCompletionBench({ folder, log }: BenchContext): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const fake = stack.use(await FakeModelArk.start(limits));
  const receiver = stack.adopt(await startReceiver(), (one) => one.close());
  const configFile = join(folder, 'queues.config.mjs');
  writeFileSync(configFile, configText(fake.baseUrl));
  // Without a public URL the service must poll: the upstream cannot send callbacks.
  const service = stack.use(
    await startServiceStack({
      folder: join(folder, 'queues'),
      accounts: smallAccounts + 1,
      roles: ['all'],
      environment: { VIDGEN_CONFIG: configFile, ARK_API_KEY: fake.apiKey },
    }),
  );
  const url = `http://127.0.0.1:${service.port}`;
  log(`${tasks} generations …`);
  await createTasks(url, { accounts: service.accounts, callbackUrl: receiver.url });
  await waitFor('all starts', async () => fake.started().length === tasks);
  for (const { id } of fake.started()) fake.advance(id, 'running');
  log('all are generating; waiting until they usually end …');
  await sleep(youngSeconds * 1000);

  const before = countPolls(fake);
  const fromMs = monotonicMs();
  for (const { id } of fake.started()) fake.advance(id, 'succeeded');
  await waitFor('all tasks', async () => (await countTasks(url)).final === tasks);
  const seconds = (monotonicMs() - fromMs) / 1000;
  const after = countPolls(fake);
  const { body: audit } = await clientOf(url, testAdminToken).get('/admin/audit');
  const least = tasks / (getPerSecond + listPerSecond * pageSize);
  const row = {
    '': `${getPerSecond} polls and ${listPerSecond} list of ${pageSize} tasks per second`,
    'last final after, s': seconds.toFixed(1),
    'limits allow, s': least.toFixed(1),
    'peak memory, MB': peakMemoryMb(service.pids[0]!),
    polls: after.get - before.get,
    lists: after.list - before.list,
    throttled: after.limited - before.limited,
    charged: (await countTasks(url)).charged,
    audit: audit.ok === true ? 'clean' : JSON.stringify(audit),
  };
  const title = `### ${tasks} generations that end at the same time`;
  return [title, '', ...table(Object.keys(row), [Object.values(row).map(String)]), ''].join('\n');
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
  { accounts, callbackUrl }: { accounts: readonly SeededAccount[]; callbackUrl: string },
): Promise<void> {
  let next = 0;
  const client = async () => {
    for (let at = next++; at < tasks; at = next++) {
      const { key } = accounts[at % 2 === 0 ? 0 : 1 + (at % smallAccounts)]!;
      const callback = at % callbackEvery === 0 ? { callback_url: callbackUrl } : {};
      const { status, body } = await clientOf(url, key).create({ ...createBody, ...callback });
      if (status !== 200) throw new Error(`a create returned ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function countPolls(fake: FakeModelArk) {
  const countOf = (kind: string) =>
    fake.requests.filter(({ operation }) => operation === kind).length;
  return { get: countOf('get'), list: countOf('list'), limited: fake.limited };
}

async function countTasks(url: string): Promise<{ final: number; charged: number }> {
  const headers = { authorization: `Bearer ${testAdminToken}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const sum = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    final: sum(/^vidgen_tasks\{status="(?:completed|failed)".*\} (\d+)$/gm),
    charged: sum(/^vidgen_tasks\{status="completed",billing_status="charged"\} (\d+)$/gm),
  };
}

function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
