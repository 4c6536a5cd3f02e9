/**
 * One receiver accepts every connection and never responds. Ten thousand webhooks wait for it, half
 * of them of an account whose webhooks to another receiver must not be slower for it.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sleep } from '../../../server/clock.ts';
import { webhookTimeoutMs } from '../../../server/webhooks/send.ts';
import { makeAccount } from '../../kit/service.ts';
import { type FaultTest, type FaultTestOptions, resultOf } from '../fault-test.ts';
import { inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { timesSentence } from '../quantile.ts';
import { fillUndelivered } from './fill.ts';

const goodWebhooks = 100;
const atOnce = 10;
const pollMs = 50;

export const deadReceiver: FaultTest = {
  name: 'dead-receiver',
  title: 'webhooks wait for a receiver that never responds, beside one that does',
  failures: [17],
  unit: 'dead webhooks',
  runs: 10_000,
  async run(options) {
    await using hole = await openBlackHole();
    await using installation = await Installation.open();
    return await deliverBeside({ options, installation, hole });
  },
};

async function deliverBeside({
  options,
  installation,
  hole,
}: {
  readonly options: FaultTestOptions;
  readonly installation: Installation;
  readonly hole: BlackHole;
}) {
  const { url, admin } = installation;
  const db = installation.db;
  await installation.start().waitUntilServing();
  const own = await installation.account();
  const alone = await deliverToGoodReceiver(installation);
  options.log(`without the dead receiver: ${timesSentence(alone)}`);

  const other = await makeAccount(url, admin, { live: options.runs });
  const half = Math.ceil(options.runs / 2);
  const receiverUrl = hole.url;
  const backlogOf = ({ id: accountId, keyId }: typeof own) => ({ accountId, keyId, receiverUrl });
  await fillUndelivered(db, { ...backlogOf(own), tasks: half });
  await fillUndelivered(db, { ...backlogOf(other), tasks: options.runs - half, after: half });
  while (hole.held() === 0) await sleep(pollMs);
  const beside = await deliverToGoodReceiver(installation);
  options.log(`beside it: ${timesSentence(beside)}`);

  const { rows } = await db.query<{ waiting: number }>(
    `select count(*) as waiting from deliveries where url = $1 and status = 'pending'`,
    [receiverUrl],
  );
  const { waiting } = rows[0]!;
  const held = hole.held();
  return resultOf([await inspectTasks(installation)], {
    runs: options.runs,
    violations: [
      ...(waiting === options.runs ? [] : [`only ${waiting} dead webhooks are still waiting`]),
      // A webhook that waited for one that hangs took the whole timeout.
      ...(Math.max(...beside) < webhookTimeoutMs ? [] : ['a webhook waited for one that hangs']),
      ...(held > 0 ? [] : ['no webhook is sent to the dead receiver any more']),
    ],
    notes: [
      `From the end of a task to the response to its webhook: ${timesSentence(alone)} without ` +
        `the dead receiver, ${timesSentence(beside)} while ${waiting} webhooks waited for it, ` +
        `half of them of the same account, ${held} at once.`,
    ],
  });
}

/** Delivers webhooks to a good receiver; returns their durations by the clock of the database. */
async function deliverToGoodReceiver(installation: Installation): Promise<number[]> {
  const { clients, db } = installation;
  const taskNumbers: number[] = [];
  while (taskNumbers.length < goodWebhooks) {
    taskNumbers.push(
      ...(await Promise.all(Array.from({ length: atOnce }, () => clients.create()))),
    );
  }
  await waitForEnd(installation, { taskNumbers });
  const { rows } = await db!.query<{ ms: number }>(
    `select (extract(epoch from delivered_at - created_at) * 1000)::float8 as ms
     from deliveries where task_id = any($1::text[]) and status = 'delivered'`,
    [taskNumbers.map((one) => clients.acknowledged.get(one)!)],
  );
  return rows.map(({ ms }) => ms);
}

type BlackHole = AsyncDisposable & { readonly url: string; held(): number };

/** Accepts connections, reads everything and never responds. */
async function openBlackHole(): Promise<BlackHole> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume());
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    held: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
