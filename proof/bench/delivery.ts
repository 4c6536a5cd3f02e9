/**
 * How long a customer waits for a video that its provider has finished: until it is fetched, and
 * until the first byte of its webhook, by kind of provider and tasks in flight. And how many tasks
 * pass a provider that takes few at once.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelNames } from '@vidgen/contract/models.ts';
import { monotonicMs } from '../../server/process/clock.ts';
import { writeWorkflows } from '../kit/comfyui/workflows.ts';
import { clientOf } from '../kit/service.ts';
import type { BenchContext } from './bench-context.ts';
import { table } from './comparison.ts';
import { waitFor } from './rounds.ts';
import { createBody, startServiceStack } from './service-stack.ts';
import { startTimedUpstream, wires } from './timed-upstream.ts';

type Upstream = Awaited<ReturnType<typeof startTimedUpstream>>;

type Run = {
  readonly kind: string;
  readonly tasks: number;
  /** How long a job takes. */
  readonly seconds: number;
  readonly concurrency?: number;
  /** How often all tasks are run before they are measured; 0 by default. */
  readonly warmUps?: number;
};

const clients = 32;

export async function deliveryBench({ folder, log, options }: BenchContext): Promise<string> {
  using upstream = await startTimedUpstream();
  const workflows = await writeWorkflows();
  const byModel = Object.fromEntries(modelNames.map((name) => [name, workflows]));
  const more = { comfyui: { workflows: byModel } } as Readonly<Record<string, object>>;
  const run = async (one: Run) => {
    log(`${one.tasks} × ${one.seconds} s at ${one.kind} …`);
    const { kind, concurrency = one.tasks } = one;
    const baseUrl = `${upstream.origin}/${kind}`;
    const provider = { ...wires[kind]!.settings, ...more[kind], concurrency, baseUrl };
    return await measure(join(folder, `${kind}-${one.tasks}`), { run: one, provider, upstream });
  };
  const kinds = Object.keys(wires);
  const small = kinds.flatMap((kind) => [1, 100].map((tasks) => ({ kind, tasks, seconds: 5 })));
  const large = [2_000, 10_000].map((tasks) => ({ kind: 'vllm', tasks, seconds: 20 }));
  const rows: string[][] = [];
  for (const one of options.rounds > 3 ? [...small, ...large] : small) {
    const { fetched, delivered } = await run(one);
    const of = `${one.kind}, ${one.seconds} s`;
    const cells = [...quantiles(fetched), ...quantiles(delivered)];
    rows.push([of, String(one.tasks), ...cells.map((seconds) => seconds.toFixed(1))]);
  }
  const passed: string[][] = [];
  for (const concurrency of [1, 8]) {
    // A new process spends most of its time on compiling.
    const warmUps = Math.ceil(options.warmUpSeconds / 6);
    const { perSecond } = await run({ kind: 'vllm', tasks: 400, seconds: 0, concurrency, warmUps });
    passed.push([String(concurrency), perSecond.toFixed(1)]);
  }
  const header = ['job', 'in flight', 'fetched, median s', 'p99 s', 'webhook, median s', 'p99 s'];
  return [
    '### From finished at the provider to delivered',
    '',
    ...table(header, rows),
    '',
    '### Tasks through a provider that takes few at once',
    '',
    ...table(['at once', 'tasks per second'], passed),
    '',
  ].join('\n');
}

async function measure(
  folder: string,
  { run, provider, upstream }: { run: Run; provider: object; upstream: Upstream },
) {
  const routes = Object.fromEntries(modelNames.map((model) => [model, ['bench']]));
  const configFile = `${folder}.config.mjs`;
  writeFileSync(
    configFile,
    `export default ${JSON.stringify({ providers: { bench: provider }, routes })};\n`,
  );
  await using service = await startServiceStack({
    folder,
    accounts: clients,
    roles: ['all'],
    environment: { VIDGEN_CONFIG: configFile, BENCH_KEY: 'a key', VIDGEN_POSTERS: 'off' },
  });
  const createEach = async (account: { readonly key: string }, at: number) => {
    const client = clientOf(`http://127.0.0.1:${service.port}`, account.key);
    for (let number = at; number < run.tasks; number += clients) {
      const input = {
        ...createBody.input,
        prompt: `job number ${number}`,
        resolution: '720p',
        aspect_ratio: '16:9',
      };
      const callback_url = `${upstream.origin}/hook/${number}`;
      const { status, body } = await client.create({ model: 'vidgen-2-0', input, callback_url });
      if (status !== 200) throw new Error(`a create returned ${JSON.stringify(body)}`);
    }
  };
  const jobs = () => [...upstream.jobs.values()];
  const isDelivered = () => jobs().filter(({ deliveredMs }) => deliveredMs).length === run.tasks;
  let fromMs = 0;
  for (let roundsLeft = run.warmUps ?? 0; roundsLeft >= 0; roundsLeft--) {
    upstream.reset(run.seconds);
    fromMs = monotonicMs();
    await Promise.all(service.accounts.map(createEach));
    await waitFor('all webhooks', async () => isDelivered());
  }
  const secondsSince = (endMs: number, ms: number) => (ms - endMs) / 1000;
  return {
    fetched: jobs().map(({ endMs, fetchedMs }) => secondsSince(endMs, fetchedMs!)),
    delivered: jobs().map(({ endMs, deliveredMs }) => secondsSince(endMs, deliveredMs!)),
    perSecond: run.tasks / secondsSince(fromMs, monotonicMs()),
  };
}

function quantiles(values: readonly number[]): number[] {
  const sorted = values.toSorted((one, other) => one - other);
  return [0.5, 0.99].map((share) => sorted[Math.floor((sorted.length - 1) * share)]!);
}
