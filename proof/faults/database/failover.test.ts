/**
 * Loses the primary database for good under load and promotes its standby. With a synchronous
 * standby no acknowledged task is lost; with an asynchronous one the test measures the loss.
 * Thorough: a sample of a long fault test.
 */
import { between, randomFrom } from '../../../renderer/random.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { Cluster } from './cluster.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { Watch } from './watch.ts';

type StandbyKind = 'synchronous' | 'asynchronous';

const settings: Readonly<Record<StandbyKind, readonly string[]>> = {
  synchronous: ['synchronous_standby_names=*'],
  asynchronous: [],
};
const loadMs = { from: 500, to: 3000 };
/** How far the asynchronous standby lags behind when its primary is lost. */
const behindMs = 2000;
const pollMs = 50;

/** A held resource: a primary and its standby, behind one port that leads to the primary. */
class PrimaryWithStandby implements AsyncDisposable {
  readonly #proxy: TcpProxy;
  /** Between the two servers, to hold the standby back. */
  readonly #replication: TcpProxy;
  readonly #kind: StandbyKind;
  readonly #retired: Cluster[] = [];
  #primary: Cluster;
  #standby: Cluster | undefined;

  private constructor(parts: {
    primary: Cluster;
    proxy: TcpProxy;
    replication: TcpProxy;
    kind: StandbyKind;
  }) {
    this.#primary = parts.primary;
    this.#kind = parts.kind;
    ({ proxy: this.#proxy, replication: this.#replication } = parts);
  }

  static async make(kind: StandbyKind): Promise<PrimaryWithStandby> {
    const primary = await Cluster.make();
    const proxy = await TcpProxy.open({ to: primary.port });
    const replication = await TcpProxy.open({ to: primary.port });
    return new PrimaryWithStandby({ primary, proxy, replication, kind });
  }

  get url(): string {
    return this.#proxy.proxyUrl(this.#primary.url);
  }

  /** Stops the primary while its files are copied to the standby. */
  async addStandby(): Promise<void> {
    await this.#primary.stop('fast');
    const { port: leaderPort } = this.#replication;
    this.#standby = await this.#primary.copyAsStandby({ leaderPort });
    // A synchronous primary confirms nothing before its standby has connected.
    await this.#primary.start(settings[this.#kind]);
    this.#replication.retarget(this.#primary.port);
    await this.#waitUntilStreaming();
  }

  /** From here on the standby receives nothing from its primary. */
  holdBack(): void {
    this.#replication.stall();
  }

  /** Loses the primary with its disk; the standby is the database from now on. */
  async failOver(): Promise<void> {
    const standby = this.#standby!;
    await this.#primary.stop('kill');
    this.#replication.cut();
    await standby.promote();
    this.#proxy.retarget(standby.port);
    this.#retired.push(this.#primary);
    this.#primary = standby;
    this.#standby = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.close();
    await this.#replication.close();
    await this.#standby?.stop('immediate');
    await this.#primary.stop('immediate');
    for (const one of [...this.#retired, this.#primary]) await one.close();
  }

  async #waitUntilStreaming(): Promise<void> {
    const db = await openPostgres(this.#primary.url, { connectionsMax: 1 });
    const expected = this.#kind === 'synchronous' ? ['sync', 'quorum'] : ['async'];
    const isStreaming = async () => {
      const { rows } = await db.query<{ sync_state: string }>(
        `select sync_state from pg_stat_replication where state = 'streaming'`,
      );
      return rows.some((row) => expected.includes(row.sync_state));
    };
    while (!(await isStreaming())) await sleep(pollMs);
    await db.close();
  }
}

faultTest('the database is lost, and its synchronous standby takes over', {
  sample: 1,
  async run(options) {
    const loss = await measureLoss();
    const random = randomFrom(options.seed);
    await using pair = await PrimaryWithStandby.make('synchronous');
    await using installation = await Installation.open({ serverUrl: pair.url });
    const { clients } = installation;
    const staying = await installation.startPair('all');
    await using watch = await Watch.start(installation, staying);
    let slowestSeconds = 0;
    const failOverOnce = async () => {
      const before = clients.acknowledged.size;
      await pair.addStandby();
      clients.start();
      await sleep(between(random, loadMs));
      const fromMs = monotonicMs();
      await pair.failOver();
      const known = clients.acknowledged.size;
      while (clients.acknowledged.size === known) await sleep(pollMs);
      slowestSeconds = Math.max(slowestSeconds, (monotonicMs() - fromMs) / 1000);
      await sleep(between(random, loadMs));
      await clients.stop();
      const taskNumbers = clients.taskNumbers(before);
      return watch.addViolations(await inspectEnd(installation, { taskNumbers, staying }));
    };
    return await runRepeatedly(options, failOverOnce, () => {
      const away = `at most ${slowestSeconds.toFixed(1)} s after the primary was lost`;
      return [`creates were acknowledged again ${away}`, ...watch.notes, loss];
    });
  },
});

/** The same with a standby that lags behind: what was acknowledged in that time is gone. */
async function measureLoss(): Promise<string> {
  await using pair = await PrimaryWithStandby.make('asynchronous');
  await using installation = await Installation.open({ serverUrl: pair.url });
  await installation.startPair('all');
  const { clients } = installation;
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
}
