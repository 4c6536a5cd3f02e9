/**
 * The database crashes, is killed, loses a session or is stopped, again and again under load, and
 * comes back. Meanwhile requests are answered `internal_error` or wait; no process of the service
 * ends; afterwards everything that was acknowledged has come to its right end.
 */
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { sleep } from '../../../server/clock.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { type Findings, inspectSince } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { Cluster } from './cluster.ts';
import { waitUntilWorking } from './wait-until-working.ts';
import { Watch } from './watch.ts';

/** A server that is killed, one that crashes, one session that the kernel ends, a planned stop. */
const restartKinds = ['kill', 'immediate', 'session', 'fast'] as const;
type RestartKind = (typeof restartKinds)[number];

const loadMsUsual = { from: 200, to: 2500 };
const awayMs = { from: 0, to: 1500 };
/** Everything is looked at after so many, since that means to wait for an end. */
const restartsPerInspection = 10;

export type RestartsParts = {
  readonly cluster: Cluster;
  readonly installation: Installation;
  /** All that run on it: none of them may end. */
  readonly processes: readonly ServiceProcess[];
  readonly watch: Watch;
  readonly random: Random;
  /** Before each; tests have less time. */
  readonly loadMs?: Readonly<typeof loadMsUsual>;
};

/** Restarts on one installation, one after the other: what one left behind shows in the next. */
export class Restarts {
  readonly #parts: RestartsParts;
  #isLoaded = false;
  #inspected = 0;

  constructor(parts: RestartsParts) {
    this.#parts = parts;
  }

  /** Load goes on from here until the next look. */
  async run(kind: RestartKind): Promise<void> {
    const { installation, cluster, random, loadMs = loadMsUsual } = this.#parts;
    if (!this.#isLoaded) installation.clients.start();
    this.#isLoaded = true;
    await sleep(between(random, loadMs));
    if (kind === 'session') return await cluster.killSession(await this.#someSession());
    await cluster.stop(kind);
    await sleep(between(random, awayMs));
    await cluster.start();
  }

  /** All that was acknowledged since the last look. */
  async inspect(): Promise<Findings> {
    const { installation, processes, watch } = this.#parts;
    const { clients } = installation;
    await clients.stop();
    this.#isLoaded = false;
    const found = await inspectSince(installation, { since: this.#inspected, staying: processes });
    this.#inspected += found.acknowledged;
    return { ...found, broken: [...found.broken, ...watch.takeViolations()] };
  }

  async #someSession(): Promise<number> {
    const { rows } = await this.#parts.installation.db!.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where application_name = 'vidgen' and pid <> pg_backend_pid()`,
    );
    return rows[Math.floor(this.#parts.random() * rows.length)]!.pid;
  }
}

/** An api, a worker and a process that is both, on a database that can be lost. */
async function prepare(cluster: Cluster): Promise<Omit<RestartsParts, 'random' | 'cluster'>> {
  const installation = await Installation.open({
    engine: 'postgres',
    serverUrl: cluster.url,
    // Never reached; but what counts is in the database too, and without it nothing is accepted.
    environment: { VIDGEN_RATE_CREATE: '100000' },
  });
  const api = installation.start({ role: 'api' });
  await api.waitUntilServing();
  const { key } = await installation.account();
  const worker = installation.start({ role: 'worker' });
  const both = installation.start({ port: await reservePort() });
  await both.waitUntilServing();
  await waitUntilWorking(installation, worker);
  const taskId = [...installation.clients.acknowledged.values()][0];
  const paths = ['/v1/credits', `/v1/tasks/${taskId}`, `/v1/tasks/${taskId}?wait=1`];
  const requests = paths.map((path) => ({ path, key }));
  const watch = new Watch([api.url, both.url], requests);
  return { installation, processes: [api, worker, both], watch };
}

async function run({
  runs,
  seed,
  log,
  saveProgress,
  signal,
}: FaultTestOptions): Promise<FaultTestResult> {
  const cluster = await Cluster.make();
  const parts = await prepare(cluster);
  const restarts = new Restarts({ ...parts, cluster, random: randomFrom(seed) });
  const found: Findings[] = [];
  let done = 0;
  const currentResult = () => {
    const { internalErrors } = parts.installation.clients;
    const note = `${internalErrors} creates were answered internal_error, and repeated`;
    return combineFindings(found, { runs: done, notes: [note, parts.watch.summary] });
  };
  try {
    while (done < runs && !signal.aborted) {
      await restarts.run(restartKinds[done % restartKinds.length]!);
      done += 1;
      if (done % restartsPerInspection > 0 && done < runs && !signal.aborted) continue;
      found.push(await restarts.inspect());
      saveProgress(currentResult());
      log(`${done} of ${runs}: ${currentResult().acknowledged} acknowledged so far`);
    }
    return currentResult();
  } finally {
    const watched = parts.watch.stop();
    await parts.installation.close();
    await watched;
    await cluster.close();
  }
}

export const databaseRestarts: FaultTest = {
  name: 'database-restarts',
  title: 'the database crashes and restarts under load',
  failures: [6, 28],
  unit: 'restarts',
  runs: 100,
  requirements: [],
  run,
};
