/**
 * Webhooks to HTTPS receivers, signed and recorded, beside a bare client that posts the same bytes;
 * and webhooks to receivers that respond while one receiver in ten hangs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monotonicMs } from '../../server/clock.ts';
import { jobsChannel, receiverBucketSql } from '../../server/queue/enqueue.ts';
import type { BenchContext } from './bench-context.ts';
import { type Comparison, compare } from './comparison.ts';
import { loadHistory } from './history.ts';
import { type Outside, receiverHost, receiversMax, startOutside } from './outside.ts';
import { type Contender, measureRounds, type Work } from './rounds.ts';
import { type ServiceStack, startServiceStack } from './service-stack.ts';
import { waitFor } from './wait-for.ts';

export type PostJob = { readonly webhooks: readonly { url: string; body: string }[] };

/** Every account has one receiver. */
const accounts = receiversMax;
const hangingReceivers = receiversMax / 10;
const webhooksMax = 3000;
const webhooksPerSecond = 1500;
/** The bare client needs more work for a time that the kernel's 10 ms can measure. */
const bareRepeats = 5;

export async function webhooksBench(context: BenchContext): Promise<Comparison[]> {
  const { folder, log, options } = context;
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(join(folder, 'outside')));
  const history = { tasks: webhooksMax, callbackEvery: 1, receiverPort: outside.securePort, log };
  const service = stack.use(
    await startServiceStack({
      ...{ folder: join(folder, 'webhooks'), accounts, roles: ['worker'] },
      environment: outside.environment,
      profileFolder: options.profileFolder,
      prepare: ({ db }) => loadHistory(db, history),
    }),
  );
  const poster = fork(new URL('./bare-poster.ts', import.meta.url), {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: outside.certificateFile },
  });
  stack.defer(() => void poster.kill());
  const { rows: webhooks } = await service.database.db.query<{ url: string; body: string }>(
    `select url, body from deliveries limit ${webhooksMax}`,
  );
  const bare: Contender = {
    ...{ name: 'bare post', service: [poster.pid!], database: [] },
    async run(seconds) {
      const each = webhooks.slice(0, countFor(seconds));
      const repeated = Array.from({ length: bareRepeats }, () => each).flat();
      poster.send({ webhooks: repeated } satisfies PostJob);
      return ((await once(poster, 'message')) as [Work])[0];
    },
  };
  const all = webhookContender(service, outside, { name: 'webhooks', from: 0, hanging: 0 });
  const [subject, limit] = await measureRounds([all, bare], options, log);
  const rest = { from: hangingReceivers, hanging: 0 };
  const disturbed = { from: 0, hanging: hangingReceivers };
  const [withHanging, without] = await measureRounds(
    [
      webhookContender(service, outside, { name: 'while 10 % hang', ...disturbed }),
      webhookContender(service, outside, { name: 'while none hang', ...rest }),
    ],
    { ...options, warmUpSeconds: 0 },
    log,
  );
  return [
    compare(
      {
        id: 'webhooks',
        title: 'Webhooks over HTTPS, signed and recorded',
        target: { field: 'totalMicros', bound: 'at most', ratio: 2 },
        notes: [`${accounts} accounts with a receiver each; the bare client keeps connections.`],
      },
      subject!,
      limit!,
    ),
    compare(
      {
        id: 'hanging',
        title: 'Webhooks to receivers that respond while 10 % of the receivers hang',
        target: { field: 'perSecond', bound: 'at least', ratio: 0.9 },
        notes: ['Unmoved means: at least 0.9 of the throughput, as runs differ by that much.'],
      },
      withHanging!,
      without!,
    ),
  ];
}

const countFor = (seconds: number): number =>
  Math.min(webhooksMax, Math.ceil(seconds * webhooksPerSecond));

/** Sends again to receivers `from` and above; those below `hanging` never respond. */
function webhookContender(
  { pids, database }: ServiceStack,
  outside: Outside,
  { name, from, hanging }: { name: string; from: number; hanging: number },
): Contender {
  const { db } = database;
  let [receivedBefore, count] = [0, 0];
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, signal);
  };
  const hostSql = `substring(d.url from '127\\.0\\.0\\.(\\d+)')::int - 1`;
  const due = `select count(*)::int as count from jobs j join deliveries d on d.id = j.delivery_id
    where ${hostSql} >= $1`;
  const countDue = async () => (await db.query<{ count: number }>(due, [hanging])).rows[0]!.count;
  return {
    ...{ name, service: pids, database: [database.pid] },
    async prepare(seconds) {
      const hosts = Array.from({ length: hanging }, (_, number) => receiverHost(number));
      await outside.hang(hosts);
      // The worker must not see the jobs before the run.
      signalAll('SIGSTOP');
      // As a replay begins.
      await db.query(
        `with replayed as (
           update deliveries set status = 'pending', delivered_at = null, round = round + 1,
             attempts_before_round = attempts_made
           where id in (select id from deliveries d where ${hostSql} >= $1 order by id limit $2)
           returning *)
         insert into jobs (kind, lane, account_id, task_id, delivery_id, receiver, ready, run_at)
         select 'notify', 'calls', account_id, task_id, id, ${receiverBucketSql('url')}, true, now()
         from replayed`,
        [from, countFor(seconds)],
      );
      receivedBefore = await outside.countWebhooks();
      count = await countDue();
    },
    async run() {
      const fromMs = monotonicMs();
      signalAll('SIGCONT');
      await db.query(`select pg_notify('${jobsChannel}', '')`);
      const isReceived = async () => (await outside.countWebhooks()) >= receivedBefore + count;
      await waitFor('all webhooks', isReceived);
      await waitFor('all deliveries', async () => (await countDue()) === 0);
      return { requests: count, seconds: (monotonicMs() - fromMs) / 1000 };
    },
    finish: endHanging,
  };

  async function endHanging(): Promise<void> {
    await outside.hang([]);
    await db.query(`delete from jobs where kind = 'notify'`);
    await db.query(
      `update deliveries set status = 'delivered', delivered_at = now(), attempts_made = 1,
         round = 1, attempts_before_round = 0
       where status = 'pending'`,
    );
  }
}
