/**
 * One receiver takes every connection and never answers; ten thousand calls wait for it, half of
 * them of the account whose calls to another receiver are made meanwhile as if there were none.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sleep } from '../../../server/clock.ts';
import { callMsMax } from '../../../server/webhooks/call.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { makeAccount } from '../../kit/service.ts';
import { lookAt, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { outcomeOf, type Proof, type ProofOrder } from '../proof.ts';
import { timesSentence } from '../quantile.ts';
import { fillUncalled } from './fill.ts';

const goodCalls = 100;
const atOnce = 10;
const lookMs = 50;

export const deadReceiver: Proof = {
  name: 'dead-receiver',
  title: 'calls wait for a receiver that never answers, beside one that does',
  failures: [17],
  unit: 'dead calls',
  runs: 10_000,
  needs: [],
  async run(order) {
    const server = await startPostgres();
    const installation = await Installation.open({ engine: 'postgres', serverUrl: server.url });
    const hole = await openBlackHole();
    try {
      return await callBeside({ order, installation, hole });
    } finally {
      await installation.close();
      await hole.close();
      await server.stop();
    }
  },
};

async function callBeside({
  order,
  installation,
  hole,
}: {
  readonly order: ProofOrder;
  readonly installation: Installation;
  readonly hole: BlackHole;
}) {
  const { url, admin, clients } = installation;
  const db = installation.db!;
  await installation.start().serving();
  const own = await installation.account();
  const alone = await callWell(installation);
  order.say(`without the dead receiver: ${timesSentence(alone)}`);

  const other = await makeAccount(url, admin, { live: order.runs });
  const half = Math.ceil(order.runs / 2);
  const receiverUrl = hole.url;
  const crowdOf = ({ id: accountId, keyId }: typeof own) => ({ accountId, keyId, receiverUrl });
  await fillUncalled(db, { ...crowdOf(own), tasks: half });
  await fillUncalled(db, { ...crowdOf(other), tasks: order.runs - half, after: half });
  while (hole.held() === 0) await sleep(lookMs);
  const beside = await callWell(installation);
  order.say(`beside it: ${timesSentence(beside)}`);

  const { rows } = await db.query<{ waiting: number }>(
    `select count(*) as waiting from deliveries where url = $1 and status = 'pending'`,
    [receiverUrl],
  );
  const { waiting } = rows[0]!;
  const held = hole.held();
  const taskNumbers = [...clients.acknowledged.keys()];
  const findings = await lookAt(installation, { taskNumbers, results: 'kept' });
  const outcome = outcomeOf([findings], { runs: order.runs });
  return {
    ...outcome,
    violations: [
      ...outcome.violations,
      ...(waiting === order.runs ? [] : [`only ${waiting} dead calls are still waiting`]),
      // Whoever waited for a call that hangs waited for all of its time.
      ...(Math.max(...beside) < callMsMax ? [] : ['a call waited for one that hangs']),
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
async function callWell(installation: Installation): Promise<number[]> {
  const { clients, db } = installation;
  const taskNumbers: number[] = [];
  while (taskNumbers.length < goodCalls) {
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
