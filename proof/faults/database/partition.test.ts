/**
 * A worker whose database stops responding: no rejection, no reset, no response. Its leases expire
 * and another worker takes its jobs over; whatever it still writes when the database is back comes
 * too late. No generation is paid for twice.
 * Thorough: a sample of a long fault test.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import { type Findings, faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { waitUntilFreed } from '../kills/trial.ts';
import type { ServiceProcess } from '../service-process.ts';
import { TcpProxy } from './tcp-proxy.ts';

const loadMs = { from: 500, to: 2500 };
const afterwardsMs = { from: 0, to: 20_000 };

type IsolatedWorker = {
  readonly process: ServiceProcess;
  readonly toDatabase: TcpProxy;
  /** Counts the bytes that the worker sends to the provider. */
  readonly toProvider: TcpProxy;
};

type PartitionParts = {
  readonly installation: Installation;
  /** Processes with a responding database, one of them a worker. */
  readonly staying: readonly ServiceProcess[];
  readonly databasePort: number;
};

/** A held resource: the proxies of the workers that are cut off, one after the other. */
class Partitions implements AsyncDisposable {
  readonly #parts: PartitionParts;
  readonly #proxies: TcpProxy[] = [];
  /** The longest time from a partition until no job was leased to the isolated worker. */
  slowestSeconds = 0;

  constructor(parts: PartitionParts) {
    this.#parts = parts;
  }

  async run(random: Random): Promise<Findings> {
    const { installation, staying } = this.#parts;
    const { clients } = installation;
    const before = clients.acknowledged.size;
    const worker = await this.#startWorker();
    await installation.waitUntilWorking(worker.process);
    clients.start();
    await sleep(between(random, loadMs));
    worker.toDatabase.stall();
    const fromMs = monotonicMs();
    await sleep(between(random, loadMs));
    await clients.stop();
    await waitUntilFreed(installation, worker.process.pid);
    this.slowestSeconds = Math.max(this.slowestSeconds, (monotonicMs() - fromMs) / 1000);
    const sentBefore = worker.toProvider.bytesSent;
    await waitForEnd(installation, { taskNumbers: clients.taskNumbers(before) });
    await sleep(between(random, afterwardsMs));
    const sentAfter = worker.toProvider.bytesSent - sentBefore;
    worker.toDatabase.restore();
    await installation.waitUntilWorking(worker.process);
    const broken = await worker.process.stopViolations();
    if (sentAfter > 0) broken.push(`${sentAfter} bytes to the provider without a lease`);
    const taskNumbers = clients.taskNumbers(before);
    const found = await inspectEnd(installation, { taskNumbers, staying });
    return { ...found, broken: [...found.broken, ...broken] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }

  async #startWorker(): Promise<IsolatedWorker> {
    const { installation, databasePort } = this.#parts;
    const { home, upstream, databaseUrl } = installation;
    const { baseUrl } = upstream.fake;
    const toProvider = await this.#openProxy(Number(new URL(baseUrl).port));
    const toDatabase = await this.#openProxy(databasePort);
    const configFile = join(home, 'proxied.config.mjs');
    const config = await readFile(join(home, 'faults.config.mjs'), 'utf8');
    await writeFile(configFile, config.replace(baseUrl, toProvider.proxyUrl(baseUrl)));
    const environment = {
      VIDGEN_DATABASE_URL: toDatabase.proxyUrl(databaseUrl),
      VIDGEN_CONFIG: configFile,
    };
    const process = installation.start({ role: 'worker', environment });
    return { process, toDatabase, toProvider };
  }

  async #openProxy(to: number): Promise<TcpProxy> {
    const proxy = await TcpProxy.open({ to });
    this.#proxies.push(proxy);
    return proxy;
  }
}

faultTest('the database of a worker stops responding', {
  sample: 1,
  async run(options) {
    const random = randomFrom(options.seed);
    await using cluster = await Cluster.make();
    await using installation = await Installation.open({ serverUrl: cluster.url });
    const staying = await installation.startPair('worker');
    const { port: databasePort } = cluster;
    await using partitions = new Partitions({ installation, staying, databasePort });
    return await runRepeatedly(
      options,
      () => partitions.run(random),
      () => {
        const seconds = partitions.slowestSeconds.toFixed(1);
        return [`another worker took the jobs over after at most ${seconds} s`];
      },
    );
  },
});
