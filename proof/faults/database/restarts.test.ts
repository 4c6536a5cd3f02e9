/**
 * Crashes, kills and stops the database again and again under load, and starts it again. Requests
 * wait or are answered `internal_error`, no process of the service exits, and every acknowledged
 * task ends as planned.
 * Thorough: a sample of a long fault test.
 */
import { between, randomFrom } from '../../../renderer/random.ts';
import { sleep } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import { faultTest, noFindings, runRepeatedly } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { Watch } from './watch.ts';

/** `kill -9` of the server, a crash, `kill -9` of one session, a planned stop. */
const restartKinds = ['kill', 'immediate', 'session', 'fast'] as const;
type RestartKind = (typeof restartKinds)[number];

const loadMs = { from: 200, to: 2500 };
const awayMs = { from: 0, to: 1500 };
/** An inspection waits for all tasks to end, so only every tenth restart has one. */
const restartsPerInspection = 10;

faultTest('the database crashes and restarts under load', {
  sample: 4,
  async run(options) {
    await using cluster = await Cluster.make();
    await using installation = await Installation.open({
      serverUrl: cluster.url,
      // Never reached, but counted in the database, without which no create is accepted.
      environment: { VIDGEN_RATE_CREATE: '100000' },
    });
    const pair = await installation.startPair('all');
    const worker = installation.start({ role: 'worker' });
    await installation.waitUntilWorking(worker);
    const taskId = [...installation.clients.acknowledged.values()][0];
    const paths = ['/v1/credits', `/v1/tasks/${taskId}`, `/v1/tasks/${taskId}?wait=1`];
    await using watch = await Watch.start(installation, pair, paths);
    const random = randomFrom(options.seed);
    const { clients, db } = installation;
    const restart = async (kind: RestartKind) => {
      clients.start();
      await sleep(between(random, loadMs));
      if (kind === 'session') {
        const { rows } = await db.query<{ pid: number }>(
          `select pid from pg_stat_activity
           where application_name = 'vidgen' and pid <> pg_backend_pid()`,
        );
        return await cluster.killSession(rows[Math.floor(random() * rows.length)]!.pid);
      }
      await cluster.stop(kind);
      await sleep(between(random, awayMs));
      await cluster.start();
    };
    let inspected = 0;
    return await runRepeatedly(options, async (nth) => {
      await restart(restartKinds[nth % restartKinds.length]!);
      const isLast = nth + 1 === options.runs;
      if ((nth + 1) % restartsPerInspection > 0 && !isLast) return noFindings;
      await clients.stop();
      const taskNumbers = clients.taskNumbers(inspected);
      inspected += taskNumbers.length;
      const staying = [...pair, worker];
      return watch.addViolations(await inspectEnd(installation, { taskNumbers, staying }));
    });
  },
});
