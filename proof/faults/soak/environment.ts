/**
 * The installation of a soak run: a process that is never killed, so that its growth over the whole
 * run shows, and one that is killed again and again, on a database that is killed, too.
 */
import { randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep, startTimer } from '../../../server/process/clock.ts';
import { Cluster } from '../../kit/cluster.ts';
import type { Receiver } from '../../kit/receiver.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { accountsMax, type Disturbance, planOf, type ReceiverBehavior } from './schedule.ts';

/** Requests may fail for this long after the database is back, while processes reconnect. */
const disturbedMs = 10_000;

export type SoakEnvironment = Awaited<ReturnType<typeof openSoakEnvironment>>;

export async function openSoakEnvironment(seed: number, resultSeconds: number) {
  const cluster = await Cluster.make();
  const installation = await Installation.open({
    serverUrl: cluster.url,
    upstream: {
      random: randomFrom(seed + 1),
      lostPercent: { done: 2, notDone: 2 },
      planOf: (taskNumber) => {
        const { end, generationMs, callback } = planOf(seed, taskNumber);
        return { fails: end === 'failed', generationMs, isNotified: callback !== null };
      },
    },
    environment: {
      VIDGEN_RESULT_TTL: `${resultSeconds}s`,
      // Never reached, but counted: the rate limit windows must stay small, too.
      VIDGEN_RATE_CREATE: '100000',
      VIDGEN_RATE_STATUS: '1000000',
    },
  });
  receiveWebhooks(installation.receiver);
  const steady = await installation.startServing();
  const port = await reservePort();
  let restless: ServiceProcess = await installation.startServing({ port });
  for (let at = 0; at < accountsMax; at++) await installation.account(at);
  let disturbedUntilMs = 0;
  let isClosing = false;

  async function killDatabase(awayMs: number): Promise<void> {
    disturbedUntilMs = Number.POSITIVE_INFINITY;
    await cluster.stop('kill');
    await sleep(awayMs);
    await cluster.start();
    disturbedUntilMs = monotonicMs() + disturbedMs;
  }

  return {
    seed,
    installation,
    steadyPid: steady.pid,
    /** Spreads requests over both processes, also a dead one: clients cannot know. */
    urlFor: (taskNumber: number): string => (taskNumber % 2 === 0 ? steady : restless).url,
    callbackUrl: (behavior: ReceiverBehavior): string =>
      new URL(`/${behavior}`, installation.receiver.url).href,
    /** Whether a 5xx is allowed: while the database is away and shortly afterwards. */
    get isDisturbed(): boolean {
      return monotonicMs() < disturbedUntilMs;
    },
    async disturb({ kind, awayMs }: Disturbance): Promise<void> {
      if (kind === 'database') return await killDatabase(awayMs);
      const [violation] = kind === 'stop' ? await restless.stopViolations() : [];
      if (violation) throw new Error(violation);
      await restless.kill();
      await sleep(awayMs);
      if (!isClosing) restless = await installation.startServing({ port });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      isClosing = true;
      await installation.close();
      await cluster.close();
    },
  };
}

const slowMs = 3000;
const flakyFailures = 2;

/** Good and bad receivers on one port; the path names the behavior. */
function receiveWebhooks(receiver: Receiver): void {
  const attemptsOf = new Map<string, number>();
  receiver.onWebhook(({ path, body }, response) => {
    const attempts = (attemptsOf.get(body.id) ?? 0) + 1;
    attemptsOf.set(body.id, attempts);
    const behavior = path.slice(1) as ReceiverBehavior;
    const isFlaky = behavior === 'flaky' && attempts <= flakyFailures;
    const status = behavior === 'failing' || isFlaky ? 503 : 200;
    const end = () => void response.writeHead(status).end();
    if (behavior === 'slow') startTimer(slowMs, end);
    else end();
  });
}
