/**
 * The installation of a soak run with one or two processes. With two, the first is never killed, so
 * that its growth over the whole run shows; the second is killed again and again.
 */
import { randomFrom } from '../../../renderer/random.ts';
import { monotonicMs, sleep, startTimer } from '../../../server/process/clock.ts';
import type { Cluster } from '../../kit/cluster.ts';
import type { Receiver } from '../../kit/receiver.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { accountsMax, type Disturbance, planOf, type ReceiverBehavior } from './schedule.ts';

type SoakEnvironmentOptions = {
  readonly processes: 1 | 2;
  readonly seed: number;
  readonly resultSeconds: number;
  /** A PostgreSQL that can be crashed; without it the database is never disturbed. */
  readonly cluster: Cluster | null;
};

type ProcessName = 'steady' | 'restless';

/** Requests may fail for this long after the database is back, while processes reconnect. */
const disturbedMs = 10_000;

/** A held resource: the installation and its processes. */
export class SoakEnvironment implements AsyncDisposable {
  readonly options: SoakEnvironmentOptions;
  readonly installation: Installation;
  readonly #ports: ReadonlyMap<ProcessName, number>;
  readonly #running = new Map<ProcessName, ServiceProcess>();
  #disturbedUntilMs = 0;
  #isClosing = false;

  private constructor(
    options: SoakEnvironmentOptions,
    parts: { installation: Installation; ports: ReadonlyMap<ProcessName, number> },
  ) {
    this.options = options;
    this.installation = parts.installation;
    this.#ports = parts.ports;
    receiveWebhooks(this.installation.receiver);
  }

  /** Starts the processes and creates the accounts. */
  static async open(options: SoakEnvironmentOptions): Promise<SoakEnvironment> {
    const { seed, cluster, resultSeconds } = options;
    const installation = await Installation.open({
      ...(cluster ? { serverUrl: cluster.url } : {}),
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
    const ports = new Map<ProcessName, number>([['steady', installation.port]]);
    if (options.processes === 2) ports.set('restless', await reservePort());
    const env = new SoakEnvironment(options, { installation, ports });
    for (const name of ports.keys()) await env.#start(name);
    for (let at = 0; at < accountsMax; at++) await installation.account(at);
    return env;
  }

  /** Spreads requests over all processes, also dead ones: clients cannot know. */
  urlFor(requestNumber: number): string {
    const ports = [...this.#ports.values()];
    return `http://127.0.0.1:${ports[requestNumber % ports.length]}`;
  }

  /** The URL of a webhook receiver that behaves so. */
  callbackUrl(behavior: ReceiverBehavior): string {
    return new URL(`/${behavior}`, this.installation.receiver.url).href;
  }

  get steadyPid(): number {
    return this.#running.get('steady')?.pid ?? 0;
  }

  /** Whether a 5xx is allowed: while the database is away and shortly afterwards. */
  get isDisturbed(): boolean {
    return monotonicMs() < this.#disturbedUntilMs;
  }

  /** Resolves when everything is up again. */
  async disturb({ kind, awayMs }: Disturbance): Promise<void> {
    if (kind !== 'database') return await this.#replace(kind, awayMs);
    const { cluster } = this.options;
    this.#disturbedUntilMs = Number.POSITIVE_INFINITY;
    await cluster!.stop('kill');
    await sleep(awayMs);
    await cluster!.start();
    this.#disturbedUntilMs = monotonicMs() + disturbedMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.installation.close();
  }

  async #replace(kind: 'kill' | 'stop', awayMs: number): Promise<void> {
    const name = [...this.#ports.keys()].at(-1)!;
    const victim = this.#running.get(name)!;
    this.#running.delete(name);
    const [violation] = kind === 'stop' ? await victim.stopViolations() : [];
    if (violation) throw new Error(violation);
    await victim.kill();
    await sleep(awayMs);
    if (!this.#isClosing) await this.#start(name);
  }

  async #start(name: ProcessName): Promise<void> {
    const process = this.installation.start({ port: this.#ports.get(name)! });
    this.#running.set(name, process);
    await process.waitUntilServing();
  }
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
