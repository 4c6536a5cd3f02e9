/**
 * Sends webhooks to every hostile receiver at once. Each attempt costs at most one socket, fifteen
 * seconds and a few bytes, ends as it should, and delays no webhook to another receiver.
 * Thorough: a round takes minutes; `receivers.test.ts` is the sample.
 */
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import { textToVideo } from '../../kit/journey.ts';
import { makeAccount } from '../../kit/service.ts';
import { type FaultTestResult, type Findings, faultTest, resultOf } from '../fault-test.ts';
import { inspectEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { loseNone } from '../upstream.ts';
import { receiverScripts, redirectingReceiver } from './hostile-receivers.ts';
import {
  type Delivery,
  openReceiverFixture,
  type ReceiverFixture,
  readDeliveries,
  receiverViolations,
} from './receiver-fixture.ts';
import { SeededRandom } from './seeded-random.ts';

const attemptsMax = 6;
/** Short, so that the duration of a round is that of the receivers. */
const retries = '100ms,100ms,100ms,100ms,100ms';
const roundMsMax = 10 * 60_000;
const pollMs = 500;
const bystanderMs = 1000;

type ReceiverRound = {
  readonly receivers: number;
  readonly longestMs: number;
  readonly bytesMost: number;
  readonly findings: Findings;
};

faultTest('receivers that hang, drip, flood, lie, reset or redirect', {
  sample: 0,
  async run({ runs, seed, log, signal }) {
    const random = new SeededRandom(seed);
    await using installation = await Installation.open({
      upstream: { lostPercent: loseNone },
      environment: { VIDGEN_WEBHOOK_RETRIES: retries },
    });
    await installation.start().waitUntilServing();
    await installation.account();
    const rounds: ReceiverRound[] = [];
    for (let done = 0; done < runs && !signal.aborted; ) {
      const round = await runRound(installation, { random, most: runs - done, signal });
      rounds.push(round);
      done += round.receivers;
      log(`${done} receivers, ${round.findings.acknowledged} webhooks to another one`);
    }
    return roundsResult(rounds);
  },
});

function roundsResult(rounds: readonly ReceiverRound[]): FaultTestResult {
  const most = (value: (round: ReceiverRound) => number) => Math.max(0, ...rounds.map(value));
  const seconds = (most((one) => one.longestMs) / 1000).toFixed(1);
  const megabytes = (most((one) => one.bytesMost) / 1e6).toFixed(1);
  return resultOf(
    rounds.map(({ findings }) => findings),
    {
      runs: rounds.reduce((sum, { receivers }) => sum + receivers, 0),
      notes: [
        `an attempt held its connection for at most ${seconds} s and read at most ${megabytes} ` +
          'MB of a flood, kernel buffers included',
        'the acknowledged tasks are those of an account with a good receiver: a webhook that ' +
          'took more than one attempt is a violation',
      ],
    },
  );
}

async function runRound(
  installation: Installation,
  { random, most, signal }: { random: SeededRandom; most: number; signal: AbortSignal },
): Promise<ReceiverRound> {
  const trap = await openReceiverFixture({ name: 'the trap', receive: () => {}, ends: [] });
  const chosen = random.shuffle([...receiverScripts, redirectingReceiver(trap.url)]).slice(0, most);
  const fixtures = await Promise.all(chosen.map(openReceiverFixture));
  const stop = new AbortController();
  const bystanders = keepCreating(installation, stop.signal);
  try {
    const deliveries = await deliverAll(installation, fixtures, signal);
    stop.abort();
    const findings = await inspectEnd(installation, { taskNumbers: await bystanders });
    const broken = [
      ...findings.broken,
      ...fixtures.flatMap((fixture) =>
        receiverViolations(fixture, deliveries.get(fixture), { attemptsMax }),
      ),
      ...(trap.cost().connections > 0 ? ['a redirect was followed'] : []),
      ...(await lateBystanders(installation)),
    ];
    const costs = fixtures.map((fixture) => fixture.cost());
    return {
      receivers: fixtures.length,
      longestMs: Math.max(...costs.map(({ longestMs }) => longestMs)),
      bytesMost: Math.max(...costs.map(({ bytesMost }) => bytesMost)),
      findings: { ...findings, broken },
    };
  } finally {
    stop.abort();
    await bystanders;
    await Promise.all([trap, ...fixtures].map((fixture) => fixture.close()));
  }
}

/** Sends one webhook to each receiver, each from an account of its own, and waits for the ends. */
async function deliverAll(
  installation: Installation,
  fixtures: readonly ReceiverFixture[],
  signal: AbortSignal,
): Promise<Map<ReceiverFixture, Delivery | undefined>> {
  const { url, admin } = installation;
  const waiting = new Map<ReceiverFixture, string>();
  for (const fixture of fixtures) {
    const account = await makeAccount(url, admin, { live: 100, name: fixture.receiver.name });
    const request = { ...textToVideo, callback_url: fixture.url };
    const { status, body } = await account.client.create(request);
    if (status !== 200) throw new Error(`a create returned ${status}: ${JSON.stringify(body)}`);
    waiting.set(fixture, account.id);
  }
  const found = new Map<ReceiverFixture, Delivery | undefined>();
  const fromMs = monotonicMs();
  while (found.size < fixtures.length && !signal.aborted && monotonicMs() - fromMs < roundMsMax) {
    await sleep(pollMs, signal);
    for (const [fixture, accountId] of waiting) {
      const [delivery] = await readDeliveries(admin, accountId);
      if (delivery === undefined || delivery.status === 'pending') continue;
      found.set(fixture, delivery);
      waiting.delete(fixture);
    }
  }
  return found;
}

async function keepCreating(installation: Installation, stop: AbortSignal): Promise<number[]> {
  const taskNumbers: number[] = [];
  while (!stop.aborted) {
    taskNumbers.push(await installation.clients.create());
    await sleep(bystanderMs, stop);
  }
  return taskNumbers;
}

/** Checks the last hundred webhooks to the good receiver: one attempt each. */
async function lateBystanders(installation: Installation): Promise<string[]> {
  const { id } = await installation.account();
  const deliveries = await readDeliveries(installation.admin, id);
  return deliveries
    .filter(({ status, attempts }) => status !== 'delivered' || attempts.length !== 1)
    .map(({ task_id: taskId, status, attempts }) => {
      return `the webhook of ${taskId} took ${attempts.length} attempts and is ${status}`;
    });
}
