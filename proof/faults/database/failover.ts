/**
 * The server of the database is lost for good, and its standby takes over under load. With a
 * synchronous standby nothing that was acknowledged is lost; with an asynchronous one what it had
 * not received is, and the proof says how much that was.
 */
import { between, type Random, randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
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
import { TcpProxy } from './tcp-proxy.ts';
import { Watch } from './watch.ts';

type Standby = 'synchronous' | 'asynchronous';

const settings: Readonly<Record<Standby, readonly string[]>> = {
  synchronous: ['synchronous_standby_names=*'],
  asynchronous: [],
};
const loadMs = { from: 500, to: 3000 };
/** So long is the asynchronous standby behind when its primary is lost. */
const behindMs = 2000;
const pollMs = 50;

/** A primary and its standby, behind one address that leads to whoever writes. */
class Pair {
  readonly proxy: TcpProxy;
  readonly #standbyKind: Standby;
  /** Between the two, to hold the standby back. */
  readonly #replication: TcpProxy;
  readonly #retired: Cluster[] = [];
  #primary: Cluster;
  #standby: Cluster | undefined;

  private constructor(
    primary: Cluster,
    proxies: { proxy: TcpProxy; replication: TcpProxy },
    kind: Standby,
  ) {
    this.#primary = primary;
    this.#standbyKind = kind;
    ({ proxy: this.proxy, replication: this.#replication } = proxies);
  }

  static async make(kind: Standby): Promise<Pair> {
    const primary = await Cluster.make();
    const proxy = await TcpProxy.open({ to: primary.port });
    const replication = await TcpProxy.open({ to: primary.port });
    return new Pair(primary, { proxy, replication }, kind);
  }

  get url(): string {
    return this.proxy.proxyUrl(this.#primary.url);
  }

  /** Stops the primary for a moment: a standby begins as a copy of its files. */
  async addStandby(): Promise<void> {
    await this.#primary.stop('fast');
    const { port: leaderPort } = this.#replication;
    const copying = await this.#primary.copyAsStandby({ leaderPort });
    this.#standby = copying;
    // A primary that waits for its standby confirms nothing before that one is there.
    await this.#primary.start(settings[this.#standbyKind]);
    this.#replication.retarget(this.#primary.port);
    await this.#isFollowed();
  }

  /** From here on the standby hears nothing of what its primary confirms. */
  holdBack(): void {
    this.#replication.stall();
  }

  /** The primary is gone, with its disk; the standby is the database from now on. */
  async failOver(): Promise<void> {
    const standby = this.#standby!;
    await this.#primary.stop('kill');
    this.#replication.cut();
    await standby.promote();
    this.proxy.retarget(standby.port);
    this.#retired.push(this.#primary);
    this.#primary = standby;
    this.#standby = undefined;
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.#replication.close();
    await this.#standby?.stop('immediate');
    await this.#primary.stop('immediate');
    for (const one of [...this.#retired, this.#primary]) await one.close();
  }

  async #isFollowed(): Promise<void> {
    const db = await openPostgres(this.#primary.url, { connectionsMax: 1 });
    const expected = this.#standbyKind === 'synchronous' ? ['sync', 'quorum'] : ['async'];
    const isFollowed = async () => {
      const { rows } = await db.query<{ sync_state: string }>(
        `select sync_state from pg_stat_replication where state = 'streaming'`,
      );
      return rows.some((row) => expected.includes(row.sync_state));
    };
    while (!(await isFollowed())) await sleep(pollMs);
    await db.close();
  }
}

type FailoverFixture = {
  readonly pair: Pair;
  readonly installation: Installation;
  readonly processes: readonly ServiceProcess[];
};

async function prepare(kind: Standby): Promise<FailoverFixture> {
  const pair = await Pair.make(kind);
  const installation = await Installation.open({ engine: 'postgres', serverUrl: pair.url });
  const api = installation.start({ role: 'api' });
  await api.waitUntilServing();
  await installation.account();
  const both = installation.start({ port: await reservePort() });
  await both.waitUntilServing();
  return { pair, installation, processes: [api, both] };
}

async function failOverOnce(
  { pair, installation, processes }: FailoverFixture,
  random: Random,
): Promise<{ findings: Findings; awaySeconds: number }> {
  const { clients } = installation;
  const before = clients.acknowledged.size;
  await pair.addStandby();
  clients.start();
  await sleep(between(random, loadMs));
  const fromMs = monotonicMs();
  await pair.failOver();
  const known = clients.acknowledged.size;
  while (clients.acknowledged.size === known) await sleep(pollMs);
  const awaySeconds = (monotonicMs() - fromMs) / 1000;
  await sleep(between(random, loadMs));
  await clients.stop();
  const findings = await inspectSince(installation, { since: before, staying: processes });
  return { findings, awaySeconds };
}

/** The same with a standby that is behind: what was acknowledged in that time is gone. */
async function measureLoss(): Promise<string> {
  const fixture = await prepare('asynchronous');
  const { pair, installation } = fixture;
  const { clients } = installation;
  try {
    await pair.addStandby();
    clients.start();
    await sleep(loadMs.from);
    const before = clients.acknowledged.size;
    pair.holdBack();
    await sleep(behindMs);
    const during = clients.acknowledged.size - before;
    await pair.failOver();
    await clients.stop();
    let lost = 0;
    for (const taskId of clients.acknowledged.values()) {
      const { status } = await installation.read(`/v1/tasks/${taskId}`);
      if (status === 404) lost += 1;
    }
    return (
      `an asynchronous standby that was ${behindMs / 1000} s behind had lost ${lost} of the ` +
      `${clients.acknowledged.size} acknowledged tasks (${during} were created in that time)`
    );
  } finally {
    await installation.close();
    await pair.close();
  }
}

async function run({ runs, seed, log, signal }: FaultTestOptions): Promise<FaultTestResult> {
  const random = randomFrom(seed);
  const fixture = await prepare('synchronous');
  const { key } = await fixture.installation.account();
  const watch = new Watch([fixture.installation.url], [{ path: '/v1/credits', key }]);
  const found: Findings[] = [];
  let done = 0;
  let longest = 0;
  try {
    for (; done < runs && !signal.aborted; done++) {
      const { findings, awaySeconds } = await failOverOnce(fixture, random);
      found.push(findings);
      longest = Math.max(longest, awaySeconds);
      const away = `acknowledged again after ${awaySeconds.toFixed(1)} s`;
      log(`${done + 1} of ${runs}: ${findings.acknowledged} acknowledged, ${away}`);
    }
    await watch.stop();
  } finally {
    await fixture.installation.close();
    await fixture.pair.close();
  }
  const notes = [
    `creates were acknowledged again at most ${longest.toFixed(1)} s after the primary was lost`,
    watch.summary,
    ...(signal.aborted ? [] : [await measureLoss()]),
  ];
  const watched = { acknowledged: 0, lost: [], doubled: [], unfinished: [] };
  found.push({ ...watched, broken: watch.takeViolations() });
  return combineFindings(found, { runs: done, notes });
}

export const standbyFailover: FaultTest = {
  name: 'standby-failover',
  title: 'the database is lost, and its synchronous standby takes over',
  failures: [7],
  unit: 'failovers',
  runs: 5,
  requirements: [],
  run,
};
