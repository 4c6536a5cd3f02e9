/**
 * A worker whose database stops responding: no rejection, no reset, no response. Its leases expire
 * and another worker takes its jobs over; whatever it still writes when the database is back comes
 * too late. No generation is paid for twice.
 * Thorough: a sample of a long fault test.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { sleep } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import { type Findings, faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { waitUntilFreed } from '../kills/trial.ts';
import type { ServiceProcess } from '../service-process.ts';
import { TcpProxy } from './tcp-proxy.ts';

const loadMs = { from: 500, to: 2500 };
const afterwardsMs = { from: 0, to: 20_000 };

type Partition = {
  readonly installation: Installation;
  /** Processes with a responding database, one of them a worker. */
  readonly staying: readonly ServiceProcess[];
  readonly databasePort: number;
  readonly random: Random;
};

/** Starts a worker, cuts it off from the database, and restores it when its jobs are done. */
async function cutOffOnce(partition: Partition): Promise<Findings> {
  const { installation, staying, random } = partition;
  const { clients } = installation;
  const before = clients.acknowledged.size;
  await using worker = await startWorker(partition);
  await installation.waitUntilWorking(worker.process);
  clients.start();
  await sleep(between(random, loadMs));
  worker.toDatabase.stall();
  await sleep(between(random, loadMs));
  await clients.stop();
  await waitUntilFreed(installation, worker.process.pid);
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

async function startWorker({ installation, databasePort }: Partition) {
  const { home, upstream, databaseUrl } = installation;
  const { baseUrl } = upstream.fake;
  /** Counts the bytes that the worker sends to the provider. */
  const toProvider = await TcpProxy.open({ to: Number(new URL(baseUrl).port) });
  const toDatabase = await TcpProxy.open({ to: databasePort });
  const configFile = join(home, 'proxied.config.mjs');
  const config = await readFile(join(home, 'faults.config.mjs'), 'utf8');
  await writeFile(configFile, config.replace(baseUrl, toProvider.proxyUrl(baseUrl)));
  const environment = {
    VIDGEN_DATABASE_URL: toDatabase.proxyUrl(databaseUrl),
    VIDGEN_CONFIG: configFile,
  };
  const process = installation.start({ role: 'worker', environment });
  return {
    process,
    toDatabase,
    toProvider,
    async [Symbol.asyncDispose]() {
      await toDatabase.close();
      await toProvider.close();
    },
  };
}

faultTest('the database of a worker stops responding', {
  sample: 1,
  async run(options) {
    const random = randomFrom(options.seed);
    await using cluster = await Cluster.make();
    await using installation = await Installation.open({ serverUrl: cluster.url });
    const staying = await installation.startPair('worker');
    const { port: databasePort } = cluster;
    const partition = { installation, staying, databasePort, random };
    return await runRepeatedly(options, () => cutOffOnce(partition));
  },
});
