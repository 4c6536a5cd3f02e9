/**
 * A worker whose database falls silent: no refusal, no reset, no answer. It loses its leases and
 * stops; another takes its work over; when the database is heard again, whatever the first still
 * wants to write comes too late. No generation is paid for twice.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { type Findings, inspectTasks, type TaskExpectation, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { waitUntilFreed } from '../kills/trial.ts';
import type { ServiceProcess } from '../service-process.ts';
import { Cluster } from './cluster.ts';
import { dropPackets, letThrough } from './firewall.ts';
import { runInNamespace } from './run-in-namespace.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { waitUntilWorking } from './wait-until-working.ts';

const loadMsUsual = { from: 500, to: 2500 };
const afterwardsMs = { from: 0, to: 20_000 };

export type PartitionFindings = Findings & {
  /** From the silence until nobody waited for the cut-off worker any more. */
  readonly freedSeconds: number;
};

type Worker = {
  readonly process: ServiceProcess;
  /** Between it and its database; and between it and the provider, where its requests count. */
  readonly toDatabase: TcpProxy;
  readonly toProvider: TcpProxy;
};

export type PartitionParts = {
  readonly installation: Installation;
  /** Those that hear their database all the time, one worker among them at least. */
  readonly staying: readonly ServiceProcess[];
  readonly databasePort: number;
  /** For tests that cannot wait for 15 s. */
  readonly cutLeases?: boolean;
  /** Before the silence, and during it; tests have less time. */
  readonly loadMs?: Readonly<typeof loadMsUsual>;
  /** How the database falls silent: by our own relay, or by the kernel, which needs a network. */
  readonly by?: 'relay' | 'firewall';
};

/** On one installation, one worker after the other is cut off. */
export class Partitions {
  readonly #installation: Installation;
  readonly #staying: readonly ServiceProcess[];
  readonly #databasePort: number;
  readonly #cutLeases: boolean;
  readonly #loadMs: Readonly<typeof loadMsUsual>;
  readonly #by: 'relay' | 'firewall';
  readonly #proxies: TcpProxy[] = [];

  constructor(parts: PartitionParts) {
    ({ installation: this.#installation, staying: this.#staying } = parts);
    this.#databasePort = parts.databasePort;
    this.#cutLeases = parts.cutLeases ?? false;
    this.#loadMs = parts.loadMs ?? loadMsUsual;
    this.#by = parts.by ?? 'relay';
  }

  async run(random: Random): Promise<PartitionFindings> {
    const { clients } = this.#installation;
    const before = new Set(clients.acknowledged.keys());
    const expected = (): TaskExpectation => ({
      taskNumbers: [...clients.acknowledged.keys()].filter((one) => !before.has(one)),
      results: 'kept',
    });
    const worker = await this.#startWorker();
    await waitUntilWorking(this.#installation, worker.process);
    clients.start();
    await sleep(between(random, this.#loadMs));
    this.#stall(worker);
    const fromMs = monotonicMs();
    await sleep(between(random, this.#loadMs));
    await clients.stop();
    if (this.#cutLeases) await this.#installation.expireLeases(worker.process.pid);
    await waitUntilFreed(this.#installation, worker.process.pid);
    const freedSeconds = (monotonicMs() - fromMs) / 1000;
    const sentBefore = worker.toProvider.bytesSent;
    await waitForEnd(this.#installation, expected());
    if (!this.#cutLeases) await sleep(between(random, afterwardsMs));
    const sentAfter = worker.toProvider.bytesSent - sentBefore;
    this.#restore(worker);
    const ending = await this.#livesOn(worker);
    await waitForEnd(this.#installation, expected());
    const found = await inspectTasks(this.#installation, expected());
    const broken = [...found.broken, ...ending];
    // Where its leases were cut, it could not know.
    if (sentAfter > 0 && !this.#cutLeases)
      broken.push(`${sentAfter} bytes to the provider without a lease`);
    return { ...found, broken, freedSeconds };
  }

  /** Afterwards nothing leads to the database through it. */
  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }

  async #startWorker(): Promise<Worker> {
    const { home, upstream, db } = this.#installation;
    const { baseUrl } = upstream.fake;
    const toProvider = await this.#openProxy(Number(new URL(baseUrl).port));
    const toDatabase = await this.#openProxy(this.#databasePort);
    const configFile = join(home, 'wired.config.mjs');
    const config = await readFile(join(home, 'faults.config.mjs'), 'utf8');
    await writeFile(configFile, config.replace(baseUrl, toProvider.proxyUrl(baseUrl)));
    const { rows } = await db!.query<{ name: string }>('select current_database() as name');
    const url = `postgres://vidgen@127.0.0.1:${toDatabase.port}/${rows[0]!.name}`;
    const environment = { VIDGEN_DATABASE_URL: url, VIDGEN_CONFIG: configFile };
    const process = this.#installation.start({ role: 'worker', environment });
    return { process, toDatabase, toProvider };
  }

  #stall({ toDatabase }: Worker): void {
    if (this.#by === 'relay') toDatabase.stall();
    else dropPackets(toDatabase);
  }

  #restore({ toDatabase }: Worker): void {
    if (this.#by === 'relay') toDatabase.restore();
    else letThrough();
  }

  async #openProxy(to: number): Promise<TcpProxy> {
    const proxy = await TcpProxy.open({ to });
    this.#proxies.push(proxy);
    return proxy;
  }

  /** Heard again, it goes on, and drains when it is told to. */
  async #livesOn({ process }: Worker): Promise<string[]> {
    await waitUntilWorking(this.#installation, process);
    const { code, signal } = await process.stop();
    return [
      ...(code === 0 ? [] : [`the worker ended with ${code ?? signal}: ${process.output()}`]),
      ...this.#staying
        .filter(({ hasExited: isOver }) => isOver)
        .map(({ pid }) => `${pid} ended as well`),
    ];
  }
}

async function prepare(cluster: Cluster): Promise<PartitionParts> {
  const installation = await Installation.open({ engine: 'postgres', serverUrl: cluster.url });
  const api = installation.start({ role: 'api' });
  await api.waitUntilServing();
  await installation.account();
  const staying = [api, installation.start({ role: 'worker' })];
  return { installation, staying, databasePort: cluster.port };
}

export async function runPartitions(
  { runs, seed, log, saveProgress, signal }: FaultTestOptions,
  { by }: Required<Pick<PartitionParts, 'by'>>,
): Promise<FaultTestResult> {
  const random = randomFrom(seed);
  const cluster = await Cluster.make();
  const parts = await prepare(cluster);
  const partitions = new Partitions({ ...parts, by });
  const found: PartitionFindings[] = [];
  const currentResult = () => {
    const slowest = Math.max(0, ...found.map(({ freedSeconds }) => freedSeconds)).toFixed(1);
    const note = `the work of the silent worker was taken over after at most ${slowest} s`;
    return combineFindings(found, { runs: found.length, notes: [note] });
  };
  try {
    while (found.length < runs && !signal.aborted) {
      const findings = await partitions.run(random);
      found.push(findings);
      saveProgress(currentResult());
      const { acknowledged, freedSeconds } = findings;
      const freedIn = `taken over after ${freedSeconds.toFixed(1)} s`;
      log(`${found.length} of ${runs}: ${acknowledged} acknowledged, ${freedIn}`);
    }
    return currentResult();
  } finally {
    await parts.installation.close();
    await partitions.close();
    await cluster.close();
  }
}

export const partition: FaultTest = {
  name: 'partition',
  title: 'a worker hears nothing of its database any more',
  failures: [30],
  unit: 'partitions',
  runs: 10,
  requirements: [],
  run: (options) => runPartitions(options, { by: 'relay' }),
};

export const partitionByFirewall: FaultTest = {
  name: 'partition-by-firewall',
  title: 'the same, by packets that the kernel drops',
  failures: [30],
  unit: 'partitions',
  runs: 5,
  requirements: ['namespaces', 'nftables'],
  run: (options) =>
    runInNamespace(
      { own: 'network', module: import.meta.resolve('./partition-child.ts') },
      options,
    ),
};
