/**
 * One receiver accepts every connection and never responds. Ten thousand webhooks wait for it, half
 * of them of an account whose webhooks to another receiver must not be slower for it.
 * Thorough: a sample of a long fault test.
 */
import type { Socket } from 'node:net';
import { sleep } from '../../../server/process/clock.ts';
import { webhookTimeoutMs } from '../../../server/webhooks/send.ts';
import { listen } from '../../kit/fake-network.ts';
import { makeAccount } from '../../kit/service.ts';
import { type FaultTestOptions, faultTest, resultOf } from '../fault-test.ts';
import { inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { timesSentence } from '../quantile.ts';
import { fillUndelivered } from './fill.ts';

const goodWebhooks = 100;
const atOnce = 10;
const pollMs = 50;

faultTest('webhooks wait for a receiver that never responds, beside one that does', {
  sample: 200,
  async run(options) {
    // Reads everything and never responds.
    const held = new Set<Socket>();
    const hole = await listen((socket) => {
      held.add(socket.resume());
      socket.once('close', () => held.delete(socket));
    });
    await using installation = await Installation.open();
    const receiverUrl = `http://127.0.0.1:${hole.port}/hook`;
    const result = await deliverBeside({ options, installation, receiverUrl, held });
    await hole.close();
    return result;
  },
});

async function deliverBeside({
  options,
  installation,
  receiverUrl,
  held,
}: {
  readonly options: FaultTestOptions;
  readonly installation: Installation;
  readonly receiverUrl: string;
  readonly held: ReadonlySet<Socket>;
}) {
  const { url, admin } = installation;
  const db = installation.db;
  await installation.start().waitUntilServing();
  const own = await installation.account();
  const alone = await deliverToGoodReceiver(installation);
  options.log(`without the dead receiver: ${timesSentence(alone)}`);

  const other = await makeAccount(url, admin, { live: options.runs });
  const half = Math.ceil(options.runs / 2);
  const backlogOf = ({ id: accountId, keyId }: typeof own) => ({ accountId, keyId, receiverUrl });
  await fillUndelivered(db, { ...backlogOf(own), tasks: half });
  await fillUndelivered(db, { ...backlogOf(other), tasks: options.runs - half, after: half });
  while (held.size === 0) await sleep(pollMs);
  const beside = await deliverToGoodReceiver(installation);
  options.log(`beside it: ${timesSentence(beside)}`);

  const { rows } = await db.query<{ waiting: number }>(
    `select count(*) as waiting from deliveries where url = $1 and status = 'pending'`,
    [receiverUrl],
  );
  const { waiting } = rows[0]!;
  return resultOf([await inspectTasks(installation)], {
    runs: options.runs,
    violations: [
      ...(waiting === options.runs ? [] : [`only ${waiting} dead webhooks are still waiting`]),
      // A webhook that waited for one that hangs took the whole timeout.
      ...(Math.max(...beside) < webhookTimeoutMs ? [] : ['a webhook waited for one that hangs']),
      ...(held.size > 0 ? [] : ['no webhook is sent to the dead receiver any more']),
    ],
    notes: [
      `From the end of a task to the response to its webhook: ${timesSentence(alone)} without ` +
        `the dead receiver, ${timesSentence(beside)} while ${waiting} webhooks waited for it, ` +
        `half of them of the same account, ${held.size} at once.`,
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
