/**
 * Loses the primary database for good under load and promotes its synchronous standby: no
 * acknowledged task is lost.
 * Thorough: a sample of a long fault test.
 */
import { between, randomFrom } from '../../../renderer/random.ts';
import { openPostgres } from '../../../server/database/postgres.ts';
import { sleep } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import { faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { Watch } from './watch.ts';

const loadMs = { from: 500, to: 3000 };
const pollMs = 50;

/** A held resource: a primary and its standby, behind one port that leads to the primary. */
class PrimaryWithStandby implements AsyncDisposable {
  readonly #proxy: TcpProxy;
  readonly #retired: Cluster[] = [];
  #primary: Cluster;
  #standby: Cluster | undefined;

  private constructor(primary: Cluster, proxy: TcpProxy) {
    this.#primary = primary;
    this.#proxy = proxy;
  }

  static async make(): Promise<PrimaryWithStandby> {
    const primary = await Cluster.make();
    return new PrimaryWithStandby(primary, await TcpProxy.open({ to: primary.port }));
  }

  get url(): string {
    return this.#proxy.proxyUrl(this.#primary.url);
  }

  /** Stops the primary while its files are copied to the standby. */
  async addStandby(): Promise<void> {
    await this.#primary.stop('fast');
    this.#standby = await this.#primary.copyAsStandby();
    // A synchronous primary confirms nothing before its standby has connected.
    await this.#primary.start(['synchronous_standby_names=*']);
    await this.#waitUntilStreaming();
  }

  /** Loses the primary with its disk; the standby is the database from now on. */
  async failOver(): Promise<void> {
    const standby = this.#standby!;
    await this.#primary.stop('kill');
    await standby.promote();
    this.#proxy.retarget(standby.port);
    this.#retired.push(this.#primary);
    this.#primary = standby;
    this.#standby = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.close();
    await this.#standby?.stop('immediate');
    await this.#primary.stop('immediate');
    for (const one of [...this.#retired, this.#primary]) await one.close();
  }

  async #waitUntilStreaming(): Promise<void> {
    const db = await openPostgres(this.#primary.url, { connectionsMax: 1 });
    const isStreaming = async () => {
      const { rows } = await db.query<{ sync_state: string }>(
        `select sync_state from pg_stat_replication where state = 'streaming'`,
      );
      return rows.some((row) => ['sync', 'quorum'].includes(row.sync_state));
    };
    while (!(await isStreaming())) await sleep(pollMs);
    await db.close();
  }
}

faultTest('the database is lost, and its synchronous standby takes over', {
  sample: 1,
  async run(options) {
    const random = randomFrom(options.seed);
    await using pair = await PrimaryWithStandby.make();
    await using installation = await Installation.open({ serverUrl: pair.url });
    const { clients } = installation;
    const staying = await installation.startPair('all');
    await using watch = await Watch.start(installation, staying);
    const failOverOnce = async () => {
      const before = clients.acknowledged.size;
      await pair.addStandby();
      clients.start();
      await sleep(between(random, loadMs));
      await pair.failOver();
      const known = clients.acknowledged.size;
      while (clients.acknowledged.size === known) await sleep(pollMs);
      await sleep(between(random, loadMs));
      await clients.stop();
      const taskNumbers = clients.taskNumbers(before);
      return watch.addViolations(await inspectEnd(installation, { taskNumbers, staying }));
    };
    return await runRepeatedly(options, failOverOnce);
  },
});
