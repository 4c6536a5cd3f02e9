/**
 * Webhooks to HTTPS receivers, signed and recorded, beside a bare client that posts the same bytes;
 * and webhooks to receivers that respond while one receiver in ten hangs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Database } from '../../server/database/database.ts';
import { monotonicMs } from '../../server/process/clock.ts';
import { notifyWorkers, receiverBucketSql } from '../../server/queue/enqueue.ts';
import { defaultWorkerSettings } from '../../server/worker/worker-settings.ts';
import type { BenchContext } from './bench-context.ts';
import { type Comparison, compare } from './comparison.ts';
import { loadHistory } from './history.ts';
import { type Outside, receiverHost, receiversMax, startOutside } from './outside.ts';
import { type Contender, measureRounds, type Work, waitFor } from './rounds.ts';
import { type ServiceStack, startServiceStack } from './service-stack.ts';

export type PostJob = { readonly webhooks: readonly { url: string; body: string }[] };

/** Every account has one receiver. */
const accounts = receiversMax;
const { webhooksPerReceiver } = defaultWorkerSettings;
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
      folder: join(folder, 'webhooks'),
      accounts,
      roles: ['worker'],
      environment: outside.environment,
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
    name: 'bare post',
    service: [poster.pid!],
    database: [],
    async run(seconds) {
      const each = webhooks.slice(0, countFor(seconds));
      const repeated = Array.from({ length: bareRepeats }, () => each).flat();
      poster.send({ webhooks: repeated } satisfies PostJob);
      return ((await once(poster, 'message')) as [Work])[0];
    },
  };
  const all = webhookContender(service, outside, { name: 'webhooks', from: 0, hanging: 0 });
  // As many webhooks before the first round as the bare client posts.
  for (let run = 1; run < bareRepeats; run++) {
    await measureRounds([all], { rounds: 0, seconds: 0, warmUpSeconds: options.warmUpSeconds });
  }
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

/**
 * Sends again to receivers `from` and above. Those below `hanging` never respond, and have as many
 * webhooks as they get at once before the run.
 */
function webhookContender(
  { pids, database }: ServiceStack,
  outside: Outside,
  { name, from, hanging }: { name: string; from: number; hanging: number },
): Contender {
  const { db } = database;
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, signal);
  };
  let [receivedBefore, count] = [0, 0];
  return {
    name,
    service: pids,
    database: [database.pid],
    async prepare(seconds) {
      const limit = countFor(seconds);
      if (hanging > 0) await fillHanging(limit);
      // The worker must not see the jobs before the run.
      signalAll('SIGSTOP');
      await makeDue(db, { from: Math.max(from, hanging), to: receiversMax, limit });
      receivedBefore = await outside.countWebhooks();
      count = await countDue(db, hanging);
    },
    async run() {
      const fromMs = monotonicMs();
      signalAll('SIGCONT');
      await notifyWorkers(db);
      const isReceived = async () => (await outside.countWebhooks()) >= receivedBefore + count;
      await waitFor('all webhooks', isReceived);
      await waitFor('all deliveries', async () => (await countDue(db, hanging)) === 0);
      return { requests: count, seconds: (monotonicMs() - fromMs) / 1000 };
    },
    finish: endHanging,
  };

  async function fillHanging(limit: number): Promise<void> {
    await outside.hang(Array.from({ length: hanging }, (_, number) => receiverHost(number)));
    const counts = await makeDue(db, { from: 0, to: hanging, limit });
    await notifyWorkers(db);
    const atOnce = counts.map((one) => Math.min(one, webhooksPerReceiver));
    const expected = atOnce.reduce((sum, one) => sum + one, 0);
    const isFull = async () => (await outside.countHanging()) === expected;
    await waitFor('the hanging receivers', isFull);
  }

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

const receiverSql = `substring(d.url from '127\\.0\\.0\\.(\\d+)')::int - 1`;

/** As a replay does. Returns how many deliveries each receiver has. */
async function makeDue(
  db: Database,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<number[]> {
  const { rows } = await db.query<{ count: number }>(
    `with replayed as (
       update deliveries set status = 'pending', delivered_at = null, round = round + 1,
         attempts_before_round = attempts_made
       where id in (
         select id from (select * from deliveries order by id limit $3) d
         where ${receiverSql} >= $1 and ${receiverSql} < $2)
       returning *
     ), due as (
       insert into jobs (kind, queue, account_id, task_id, delivery_id, receiver, ready, run_at)
       select 'notify', 'webhooks', account_id, task_id, id,
         ${receiverBucketSql('url')}, true, now()
       from replayed)
     select count(*)::int as count from replayed d group by ${receiverSql}`,
    [from, to, limit],
  );
  return rows.map(({ count }) => count);
}

async function countDue(db: Database, fromReceiver: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from jobs j join deliveries d on d.id = j.delivery_id
     where ${receiverSql} >= $1`,
    [fromReceiver],
  );
  return rows[0]!.count;
}
