/**
 * One receiver takes every connection and never answers; ten thousand calls wait for it, half of
 * them of the account whose calls to another receiver are made meanwhile as if there were none.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sleep } from '../../../server/clock.ts';
import { webhookTimeoutMs } from '../../../server/webhooks/send.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { makeAccount } from '../../kit/service.ts';
import { combineFindings, type FaultTest, type FaultTestOptions } from '../fault-test.ts';
import { inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { timesSentence } from '../quantile.ts';
import { fillUndelivered } from './fill.ts';

const goodWebhooks = 100;
const atOnce = 10;
const pollMs = 50;

export const deadReceiver: FaultTest = {
  name: 'dead-receiver',
  title: 'calls wait for a receiver that never answers, beside one that does',
  failures: [17],
  unit: 'dead calls',
  runs: 10_000,
  requirements: [],
  async run(options) {
    const server = await startPostgres();
    const installation = await Installation.open({ engine: 'postgres', serverUrl: server.url });
    const hole = await openBlackHole();
    try {
      return await deliverBeside({ options, installation, hole });
    } finally {
      await installation.close();
      await hole.close();
      await server.stop();
    }
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
  const { url, admin, clients } = installation;
  const db = installation.db!;
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
  const taskNumbers = [...clients.acknowledged.keys()];
  const findings = await inspectTasks(installation, { taskNumbers, results: 'kept' });
  const result = combineFindings([findings], { runs: options.runs });
  return {
    ...result,
    violations: [
      ...result.violations,
      ...(waiting === options.runs ? [] : [`only ${waiting} dead calls are still waiting`]),
      // Whoever waited for a call that hangs waited for all of its time.
      ...(Math.max(...beside) < webhookTimeoutMs ? [] : ['a call waited for one that hangs']),
      ...(held > 0 ? [] : ['nobody calls the dead receiver any more']),
    ],
    notes: [
      `From the end of a task to its call's answer: ${timesSentence(alone)} without the dead ` +
        `receiver, ${timesSentence(beside)} while ${waiting} calls waited for it, half of them ` +
        `of the same account, ${held} at once.`,
    ],
  };
}

/** Resolves when all have been called about: how long each took, by the database's clock. */
async function deliverToGoodReceiver(installation: Installation): Promise<number[]> {
  const { clients, db } = installation;
  const taskNumbers: number[] = [];
  while (taskNumbers.length < goodWebhooks) {
    taskNumbers.push(
      ...(await Promise.all(Array.from({ length: atOnce }, () => clients.create()))),
    );
  }
  await waitForEnd(installation, { taskNumbers, results: 'kept' });
  const { rows } = await db!.query<{ ms: number }>(
    `select (extract(epoch from delivered_at - created_at) * 1000)::float8 as ms
     from deliveries where task_id = any($1::text[]) and status = 'delivered'`,
    [taskNumbers.map((one) => clients.acknowledged.get(one)!)],
  );
  return rows.map(({ ms }) => ms);
}

type BlackHole = { readonly url: string; held(): number; close(): Promise<void> };

/** Takes connections and whatever is sent, and says nothing. */
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
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
