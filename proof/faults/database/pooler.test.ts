/**
 * A service behind PgBouncer in transaction mode: it depends on no session, and finds by polling
 * what notifications would tell it. While a transaction holds the only connection, requests wait or
 * are answered `internal_error`, and never hang.
 * Thorough: a sample of a long fault test.
 */
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import { faultTest, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { startPooler } from './pgbouncer.ts';
import { Watch } from './watch.ts';

/** Longer than any statement timeout, so that some statements are given up. */
const heldMs = 40_000;
const loadMs = 2000;

faultTest('the only connection of PgBouncer in transaction mode is held for long', {
  sample: 1,
  requirements: ['pgbouncer'],
  async run(options) {
    await using cluster = await Cluster.make();
    await using pooler = await startPooler(cluster.port);
    await using installation = await Installation.open({ serverUrl: pooler.url });
    const { clients, db } = installation;
    const service = installation.start();
    await service.waitUntilServing();
    await using watch = await Watch.start(installation, [service, service, service]);
    const holdOnce = async () => {
      const before = clients.acknowledged.size;
      clients.start();
      await sleep(loadMs);
      await db.transaction(async (tx) => {
        for (const fromMs = monotonicMs(); monotonicMs() - fromMs < heldMs; await sleep(loadMs)) {
          await tx.query('select 1');
        }
      });
      await sleep(loadMs);
      await clients.stop();
      const taskNumbers = clients.taskNumbers(before);
      return watch.addViolations(await inspectEnd(installation, { taskNumbers }));
    };
    return await runRepeatedly(options, holdOnce);
  },
});
