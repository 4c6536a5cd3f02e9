/**
 * The proof of the calls: every hostile receiver at once against a service in its own process. Each
 * attempt costs one socket, fifteen seconds and a few bytes, ends as it should, and holds up
 * nobody.
 */
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { textToVideo } from '../../kit/journey.ts';
import { makeAccount } from '../../kit/service.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestResult,
  findingViolations,
} from '../fault-test.ts';
import { type Findings, inspectTasks, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { receiverScripts, redirectingReceiver } from './hostile-receivers.ts';
import { openReceiverFixture, type ReceiverFixture } from './receiver-fixture.ts';
import { type Delivery, readDeliveries, receiverViolations } from './receiver-violations.ts';
import { SeededRandom } from './seeded-random.ts';

const attemptsMax = 6;
/** Short, so that what takes long is the receivers' doing alone. */
const retries = '100ms,100ms,100ms,100ms,100ms';
const roundMsMax = 10 * 60_000;
const pollMs = 500;
const bystandersEveryMs = 1000;
const inOneRound = receiverScripts.length + 1;

type Round = {
  readonly receivers: number;
  readonly longestMs: number;
  readonly bytesMost: number;
  readonly violations: readonly string[];
  readonly bystanders: Findings;
};

export const hostileReceivers: FaultTest = {
  name: 'receivers',
  title: 'receivers that hang, drip, flood, lie, reset or redirect',
  failures: [15, 16],
  unit: 'receivers',
  runs: 4 * inOneRound,
  requirements: [],
  async run({ runs, seed, log, saveProgress, signal }) {
    const random = new SeededRandom(seed);
    const installation = await Installation.open({
      engine: 'embedded',
      percentLost: { done: 0, notDone: 0 },
      environment: { VIDGEN_WEBHOOK_RETRIES: retries },
    });
    const rounds: Round[] = [];
    try {
      await installation.start().waitUntilServing();
      await installation.account();
      for (let done = 0; done < runs && !signal.aborted; ) {
        const round = await runRound(installation, { random, most: runs - done, signal });
        rounds.push(round);
        done += round.receivers;
        log(`${done} receivers, ${round.bystanders.acknowledged} calls to others`);
        saveProgress(roundsResult(rounds));
      }
    } finally {
      await installation.close();
    }
    return roundsResult(rounds);
  },
};

function roundsResult(rounds: readonly Round[]): FaultTestResult {
  const most = (value: (round: Round) => number) => Math.max(0, ...rounds.map(value));
  const seconds = (most((one) => one.longestMs) / 1000).toFixed(1);
  const megabytes = (most((one) => one.bytesMost) / 1e6).toFixed(1);
  const found = rounds.map(({ bystanders }) => bystanders);
  return combineFindings(found, {
    runs: rounds.reduce((sum, { receivers }) => sum + receivers, 0),
    violations: rounds.flatMap(({ bystanders, violations }) => [
      ...findingViolations(bystanders),
      ...violations,
    ]),
    notes: [
      `an attempt held its connection for ${seconds} s at the most, and took ${megabytes} MB of ` +
        'a flood, what the kernel buffers included',
      'the acknowledged tasks are those of an account whose receiver is sound: a call to it that ' +
        'took more than one attempt is a violation',
    ],
  });
}

async function runRound(
  installation: Installation,
  { random, most, signal }: { random: SeededRandom; most: number; signal: AbortSignal },
): Promise<Round> {
  const trap = await openReceiverFixture({ name: 'the trap', receive: () => {}, ends: [] });
  const chosen = random.shuffle([...receiverScripts, redirectingReceiver(trap.url)]).slice(0, most);
  const fixtures = await Promise.all(chosen.map(openReceiverFixture));
  const stop = new AbortController();
  const bystanders = keepCreating(installation, stop.signal);
  try {
    const deliveries = await deliverAll(installation, fixtures, signal);
    stop.abort();
    const taskNumbers = await bystanders;
    await waitForEnd(installation, { taskNumbers, results: 'kept' });
    const findings = await inspectTasks(installation, { taskNumbers, results: 'kept' });
    const violations = [
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
      violations,
      bystanders: findings,
    };
  } finally {
    stop.abort();
    await bystanders;
    await Promise.all([trap, ...fixtures].map((fixture) => fixture.close()));
  }
}

/** An account for each, and a task whose end it is told; waits until all are told or given up. */
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
    if (status !== 200) throw new Error(`a create was answered ${status}: ${JSON.stringify(body)}`);
    waiting.set(fixture, account.id);
  }
  const found = new Map<ReceiverFixture, Delivery | undefined>();
  const fromMs = monotonicMs();
  while (found.size < fixtures.length && !signal.aborted && monotonicMs() - fromMs < roundMsMax) {
    await sleep(pollMs, signal);
    succeedAll(installation);
    for (const [fixture, accountId] of waiting) {
      const [delivery] = await readDeliveries(admin, accountId);
      if (delivery === undefined || delivery.status === 'pending') continue;
      found.set(fixture, delivery);
      waiting.delete(fixture);
    }
  }
  return found;
}

/** Tasks with a number are the bystanders', which the upstream ends by itself. */
function succeedAll({ upstream: { fake } }: Installation): void {
  for (const { id, status, body } of fake.tasks()) {
    const isOurs = body.content[0]?.text === textToVideo.input.prompt;
    if (isOurs && status !== 'succeeded') fake.advance(id, 'succeeded');
  }
}

async function keepCreating(installation: Installation, stop: AbortSignal): Promise<number[]> {
  const taskNumbers: number[] = [];
  while (!stop.aborted) {
    taskNumbers.push(await installation.clients.create());
    await sleep(bystandersEveryMs, stop);
  }
  return taskNumbers;
}

/** The newest hundred: a sound receiver hears of a task at the first attempt. */
async function lateBystanders(installation: Installation): Promise<string[]> {
  const { id } = await installation.account();
  const deliveries = await readDeliveries(installation.admin, id);
  return deliveries
    .filter(({ status, attempts }) => status !== 'delivered' || attempts.length !== 1)
    .map(({ task_id, status, attempts }) => {
      return `a sound receiver was called ${attempts.length} times about ${task_id}, now ${status}`;
    });
}
