/**
 * Processes with jumping clocks, clients at work, and what is asked after each jump: two apis and
 * two workers on PostgreSQL, or the one process that the embedded engine allows.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { monotonicMs, nowMs, sleep, unixSeconds } from '../../../server/clock.ts';
import { clientOf, makeAccount } from '../../kit/service.ts';
import { type Findings, inspectTasks, waitForEnd } from '../findings.ts';
import { type Engine, Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { type JumpingClock, makeJumpingClock } from './jumping-clock.ts';
import { LongLivedRecords } from './long-lived-records.ts';
import { leasesLost } from './rescues.ts';

const roles = ['api', 'limited api', 'worker', 'worker beside it'] as const;
type ProcessName = (typeof roles)[number] | 'all';

export type ClockFixtureOptions = {
  readonly engine: Engine;
  readonly serverUrl?: string;
  /** All of `roles` on PostgreSQL, unless fewer will do. */
  readonly names?: readonly ProcessName[];
};

type ClockedProcess = {
  readonly name: ProcessName;
  readonly clock: JumpingClock;
  readonly process: ServiceProcess;
};

const underLoadMs = 700;
const requestsPerMinuteMax = 30;
const retrySecondsMax = 60;
/** On the embedded engine deadlines go by the clock that jumps: these are beyond every jump. */
const longLife = { VIDGEN_TASK_TIMEOUT: '90d', VIDGEN_RESULT_TTL: '90d' };
/** Counts requests; the other api is for the load. */
const limited = {
  VIDGEN_RATE_CREATE: String(requestsPerMinuteMax),
  VIDGEN_RATE_STATUS: String(requestsPerMinuteMax),
};

/** A held resource: an installation, its processes and their clocks. */
export class ClockFixture implements AsyncDisposable {
  readonly #installation: Installation;
  readonly #clocked: readonly ClockedProcess[];
  readonly #records: LongLivedRecords | null;
  readonly #limitedKey: string;
  readonly #since: number;
  readonly #lateWebhooks: string[] = [];

  private constructor(parts: {
    installation: Installation;
    clocked: readonly ClockedProcess[];
    records: LongLivedRecords | null;
    limitedKey: string;
    since: number;
  }) {
    this.#installation = parts.installation;
    this.#clocked = parts.clocked;
    this.#records = parts.records;
    this.#limitedKey = parts.limitedKey;
    this.#since = parts.since;
  }

  static async open({ engine, serverUrl, names }: ClockFixtureOptions): Promise<ClockFixture> {
    const isEmbedded = engine === 'embedded';
    const installation = await Installation.open({
      engine,
      ...(serverUrl === undefined ? {} : { serverUrl }),
      ...(isEmbedded ? { environment: longLife } : {}),
    });
    const since = unixSeconds();
    const clocked = await startAll(installation, names ?? (isEmbedded ? ['all'] : roles));
    await installation.account();
    const apis = clocked.filter(({ name }) => !name.startsWith('worker'));
    const records = isEmbedded
      ? null
      : await LongLivedRecords.begin(
          installation,
          apis.map(({ process }) => process),
        );
    const { key: limitedKey } = await makeAccount(installation.url, installation.admin);
    const fixture = new ClockFixture({ installation, clocked, records, limitedKey, since });
    await fixture.#watchWebhooks();
    installation.clients.start();
    return fixture;
  }

  /** One process's clock, under load; then everything that a wrong clock could have ended. */
  async jump({ nth, offsetSeconds }: { nth: number; offsetSeconds: number }) {
    const { name, clock } = this.#clocked[nth % this.#clocked.length]!;
    const what = `the clock of ${name} jumps to ${offsetSeconds / 3600} h from the true time`;
    const full = name === 'limited api' ? await this.#fillWindows() : null;
    await clock.set(offsetSeconds);
    const violations = full ? await this.#findFull(full) : [];
    await sleep(underLoadMs);
    violations.push(...((await this.#records?.check()) ?? []), ...this.#lateWebhooks.splice(0));
    for (const { name, process } of this.#clocked) {
      if (process.hasExited) violations.push(`${name} has ended: ${process.output()}`);
    }
    return { what, violations };
  }

  /** The clocks stay as they are; all that was acknowledged comes to its end all the same. */
  async end(): Promise<{ findings: Findings; violations: string[] }> {
    const { clients } = this.#installation;
    await clients.stop();
    const taskNumbers = [...clients.acknowledged.keys()];
    await waitForEnd(this.#installation, { taskNumbers, results: 'kept' });
    const findings = await inspectTasks(this.#installation, { taskNumbers, results: 'kept' });
    const violations = [
      ...((await this.#records?.end()) ?? []),
      ...(this.#records ? await this.#miscounted(taskNumbers.length) : []),
      ...this.#lateWebhooks,
      ...(await leasesLost(this.#installation)),
    ];
    return { findings, violations };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#installation.close();
  }

  /** As a careful receiver does: signed by our secret, and of this hour (Standard Webhooks). */
  async #watchWebhooks(): Promise<void> {
    const { webhookSecret } = await this.#installation.account();
    this.#installation.receiver.onWebhook(({ headers, raw }, response) => {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
      const isGood = this.#records === null || isVerified(webhookSecret, raw, headers);
      if (!isGood)
        this.#lateWebhooks.push(`${id} was signed for ${timestamp}, at ${unixSeconds()}`);
      response.writeHead(isGood ? 200 : 400).end();
    });
  }

  /** Until no further request is let in; answers when the windows cannot be full any longer. */
  async #fillWindows(): Promise<{ readonly untilMs: number }> {
    const untilMs = monotonicMs() + retrySecondsMax * 1000;
    for (const sendRequest of this.#limitedRequests()) {
      while ((await sendRequest()).status !== 429);
    }
    return { untilMs };
  }

  async #findFull({ untilMs }: { readonly untilMs: number }): Promise<string[]> {
    const violations: string[] = [];
    for (const sendRequest of this.#limitedRequests()) {
      const { status, headers } = await sendRequest();
      const retrySeconds = Number(headers.get('retry-after'));
      const isRight = status === 429 && retrySeconds >= 1 && retrySeconds <= retrySecondsMax;
      if (isRight || monotonicMs() > untilMs) continue;
      violations.push(`a full window answered ${status}, retry after ${retrySeconds} s`);
    }
    return violations;
  }

  #limitedRequests() {
    const { process } = this.#clocked.find(({ name }) => name === 'limited api')!;
    const client = clientOf(process.url, this.#limitedKey);
    return [() => client.create({}), () => client.get('/v1/tasks/task_nobody')];
  }

  /** Tasks are found by when they were created, whatever clock named them. */
  async #miscounted(acknowledged: number): Promise<string[]> {
    const { admin } = this.#installation;
    const { id } = await this.#installation.account();
    const until = Math.ceil(nowMs() / 1000) + 1;
    const range = `created_after=${this.#since - 1}&created_before=${until}`;
    const { body } = await admin.get(`/admin/accounts/${id}/usage?mode=live&${range}`);
    const { tasks } = body.total as { tasks: number };
    return tasks === acknowledged ? [] : [`of ${acknowledged} tasks, usage counts ${tasks}`];
  }
}

async function startAll(
  installation: Installation,
  names: readonly ProcessName[],
): Promise<ClockedProcess[]> {
  const clocked: ClockedProcess[] = [];
  for (const name of names) {
    const clock = await makeJumpingClock({
      folder: installation.home,
      name: name.replaceAll(' ', '-'),
    });
    const process = installation.start({
      role: name === 'all' ? 'all' : name.endsWith('api') ? 'api' : 'worker',
      ...(clocked.length === 0 ? {} : { port: await reservePort() }),
      environment: { ...clock.environment, ...(name === 'limited api' ? limited : {}) },
    });
    // The first makes the database, which only one may.
    if (!name.startsWith('worker')) await process.waitUntilServing();
    clocked.push({ name, clock, process });
  }
  return clocked;
}

/** Whether a receiver's library accepts the webhook: signed, and at most five minutes old. */
function isVerified(secret: string, body: string, headers: IncomingHttpHeaders): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
