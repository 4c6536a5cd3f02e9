/**
 * The proof of the calls: every hostile receiver at once against a service in its own process. Each
 * attempt costs one socket, fifteen seconds and a few bytes, ends as it should, and holds up
 * nobody.
 */
import { elapsedMs, sleep } from '../../../server/clock.ts';
import { textToVideo } from '../../kit/journey.ts';
import { makeAccount } from '../../kit/service.ts';
import { type Findings, lookAt, waitForEnd } from '../findings.ts';
import { Installation } from '../installation.ts';
import { breachesOf, type Outcome, outcomeOf, type Proof } from '../proof.ts';
import { Chance } from './chance.ts';
import { receiverScripts, redirectingReceiver } from './hostile-receivers.ts';
import { openBench, type ReceiverBench } from './receiver-bench.ts';
import { type Delivery, readDeliveries, troublesOf } from './receiver-verdict.ts';

const attemptsMax = 6;
/** Short, so that what takes long is the receivers' doing alone. */
const retries = '100ms,100ms,100ms,100ms,100ms';
const roundMsMax = 10 * 60_000;
const lookMs = 500;
const bystandersEveryMs = 1000;
const inOneRound = receiverScripts.length + 1;

type Round = {
  readonly receivers: number;
  readonly longestMs: number;
  readonly bytesMost: number;
  readonly violations: readonly string[];
  readonly bystanders: Findings;
};

export const hostileReceivers: Proof = {
  name: 'receivers',
  title: 'receivers that hang, drip, flood, lie, reset or redirect',
  failures: [15, 16],
  unit: 'receivers',
  runs: 4 * inOneRound,
  needs: [],
  async run({ runs, seed, say, keep, signal }) {
    const chance = new Chance(seed);
    const installation = await Installation.open({
      engine: 'embedded',
      percentLost: { done: 0, notDone: 0 },
      environment: { VIDGEN_WEBHOOK_RETRIES: retries },
    });
    const rounds: Round[] = [];
    try {
      await installation.start().serving();
      await installation.account();
      for (let done = 0; done < runs && !signal.aborted; ) {
        const round = await runRound(installation, { chance, most: runs - done, signal });
        rounds.push(round);
        done += round.receivers;
        say(`${done} receivers, ${round.bystanders.acknowledged} calls to others`);
        keep(outcomeOfRounds(rounds));
      }
    } finally {
      await installation.close();
    }
    return outcomeOfRounds(rounds);
  },
};

function outcomeOfRounds(rounds: readonly Round[]): Outcome {
  const most = (value: (round: Round) => number) => Math.max(0, ...rounds.map(value));
  const seconds = (most((one) => one.longestMs) / 1000).toFixed(1);
  const megabytes = (most((one) => one.bytesMost) / 1e6).toFixed(1);
  const found = rounds.map(({ bystanders }) => bystanders);
  return outcomeOf(found, {
    runs: rounds.reduce((sum, { receivers }) => sum + receivers, 0),
    violations: rounds.flatMap(({ bystanders, violations }) => [
      ...breachesOf(bystanders),
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
  { chance, most, signal }: { chance: Chance; most: number; signal: AbortSignal },
): Promise<Round> {
  const trap = await openBench({ name: 'the trap', receive: () => {}, ends: [] });
  const chosen = chance.shuffle([...receiverScripts, redirectingReceiver(trap.url)]).slice(0, most);
  const benches = await Promise.all(chosen.map(openBench));
  const stop = new AbortController();
  const bystanders = keepCreating(installation, stop.signal);
  try {
    const deliveries = await callAll(installation, benches, signal);
    stop.abort();
    const taskNumbers = await bystanders;
    await waitForEnd(installation, { taskNumbers, results: 'kept' });
    const findings = await lookAt(installation, { taskNumbers, results: 'kept' });
    const violations = [
      ...benches.flatMap((bench) => troublesOf(bench, deliveries.get(bench), { attemptsMax })),
      ...(trap.cost().connections > 0 ? ['a redirect was followed'] : []),
      ...(await lateBystanders(installation)),
    ];
    const costs = benches.map((bench) => bench.cost());
    return {
      receivers: benches.length,
      longestMs: Math.max(...costs.map(({ longestMs }) => longestMs)),
      bytesMost: Math.max(...costs.map(({ bytesMost }) => bytesMost)),
      violations,
      bystanders: findings,
    };
  } finally {
    stop.abort();
    await bystanders;
    await Promise.all([trap, ...benches].map((bench) => bench.close()));
  }
}

/** An account for each, and a task whose end it is told; waits until all are told or given up. */
async function callAll(
  installation: Installation,
  benches: readonly ReceiverBench[],
  signal: AbortSignal,
): Promise<Map<ReceiverBench, Delivery | undefined>> {
  const { url, admin } = installation;
  const waiting = new Map<ReceiverBench, string>();
  for (const bench of benches) {
    const account = await makeAccount(url, admin, { live: 100, name: bench.receiver.name });
    const request = { ...textToVideo, callback_url: bench.url };
    const { status, body } = await account.client.create(request);
    if (status !== 200) throw new Error(`a create was answered ${status}: ${JSON.stringify(body)}`);
    waiting.set(bench, account.id);
  }
  const found = new Map<ReceiverBench, Delivery | undefined>();
  const fromMs = elapsedMs();
  while (found.size < benches.length && !signal.aborted && elapsedMs() - fromMs < roundMsMax) {
    await sleep(lookMs, signal);
    succeedAll(installation);
    for (const [bench, accountId] of waiting) {
      const [delivery] = await readDeliveries(admin, accountId);
      if (delivery === undefined || delivery.status === 'pending') continue;
      found.set(bench, delivery);
      waiting.delete(bench);
    }
  }
  return found;
}

/** Tasks with a number are the bystanders', which the upstream ends by itself. */
function succeedAll({ upstream: { double } }: Installation): void {
  for (const { id, status, body } of double.tasks()) {
    const isOurs = body.content[0]?.text === textToVideo.input.prompt;
    if (isOurs && status !== 'succeeded') double.advance(id, 'succeeded');
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
