/**
 * Processes with a clock of their own under load, and what is checked after each jump. The database
 * keeps the true time.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { monotonicMs, nowMs, sleep, unixSeconds } from '../../../server/process/clock.ts';
import { clientOf, makeAccount } from '../../kit/service.ts';
import { type Findings, noFindings } from '../fault-test.ts';
import { inspectEnd, leaseViolations } from '../findings.ts';
import { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { type JumpingClock, makeJumpingClock } from './jumping-clock.ts';
import { LongLivedRecords } from './long-lived-records.ts';

const separateNames = ['api', 'limited api', 'worker', 'second worker'] as const;
type ClockedName = (typeof separateNames)[number] | 'all';

type ClockedProcess = {
  readonly name: ClockedName;
  readonly clock: JumpingClock;
  readonly process: ServiceProcess;
};

const underLoadMs = 700;
const requestsPerMinuteMax = 30;
const retrySecondsMax = 60;
/** Of the API whose rate limits are checked; the other API takes the load. */
const limited = {
  VIDGEN_RATE_CREATE: String(requestsPerMinuteMax),
  VIDGEN_RATE_STATUS: String(requestsPerMinuteMax),
};

/** A held resource: an installation, its processes and their clocks. */
export class ClockFixture implements AsyncDisposable {
  readonly #installation: Installation;
  readonly #clocked: readonly ClockedProcess[];
  readonly #records: LongLivedRecords;
  readonly #limitedKey: string;
  readonly #sinceSeconds = unixSeconds();
  readonly #webhookViolations: string[] = [];

  private constructor(parts: {
    installation: Installation;
    clocked: readonly ClockedProcess[];
    records: LongLivedRecords;
    limitedKey: string;
  }) {
    ({ installation: this.#installation, clocked: this.#clocked } = parts);
    ({ records: this.#records, limitedKey: this.#limitedKey } = parts);
  }

  static async open(names: readonly ClockedName[] = separateNames): Promise<ClockFixture> {
    const installation = await Installation.open();
    const clocked = await startAll(installation, names);
    await installation.account();
    const apis = clocked
      .filter(({ name }) => !name.endsWith('worker'))
      .map(({ process }) => process);
    const records = await LongLivedRecords.begin(installation, apis);
    const { key: limitedKey } = await makeAccount(installation.url, installation.admin);
    const fixture = new ClockFixture({ installation, clocked, records, limitedKey });
    await fixture.#checkWebhooks();
    installation.clients.start();
    return fixture;
  }

  /** Sets the clock of one process under load, and checks all that a wrong clock could end. */
  async jump({ nth, offsetSeconds }: { nth: number; offsetSeconds: number }): Promise<Findings> {
    const { name, clock } = this.#clocked[nth % this.#clocked.length]!;
    const full = name === 'limited api' ? await this.#fillWindows() : null;
    await clock.set(offsetSeconds);
    const broken = full ? await this.#windowViolations(full) : [];
    await sleep(underLoadMs);
    broken.push(...(await this.#records.check()), ...this.#webhookViolations.splice(0));
    for (const { name: exited, process } of this.#clocked) {
      if (process.hasExited) broken.push(`${exited} exited: ${process.output()}`);
    }
    const label = `the clock of ${name} is ${offsetSeconds / 3600} h off`;
    return { ...noFindings, label, broken };
  }

  /** Inspects all acknowledged tasks, while the clocks stay wrong. */
  async end(): Promise<Findings> {
    const { clients } = this.#installation;
    await clients.stop();
    const findings = await inspectEnd(this.#installation);
    const broken = [
      ...findings.broken,
      ...(await this.#records.end()),
      ...(await this.#usageViolations(findings.acknowledged)),
      ...this.#webhookViolations,
      ...(await leaseViolations(this.#installation)),
    ];
    return { ...findings, broken };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#installation.close();
  }

  /** Verifies webhooks as a careful receiver does: signature and timestamp. */
  async #checkWebhooks(): Promise<void> {
    const { webhookSecret } = await this.#installation.account();
    this.#installation.receiver.onWebhook(({ headers, raw }, response) => {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
      const isGood = isVerified(webhookSecret, raw, headers);
      if (!isGood) {
        this.#webhookViolations.push(`${id} was signed for ${timestamp}, at ${unixSeconds()}`);
      }
      response.writeHead(isGood ? 200 : 400).end();
    });
  }

  /** Sends requests until the limits reject them; resolves to when the windows may be empty. */
  async #fillWindows(): Promise<{ readonly untilMs: number }> {
    const untilMs = monotonicMs() + retrySecondsMax * 1000;
    for (const sendRequest of this.#limitedRequests()) {
      while ((await sendRequest()).status !== 429);
    }
    return { untilMs };
  }

  async #windowViolations({ untilMs }: { readonly untilMs: number }): Promise<string[]> {
    const violations: string[] = [];
    for (const sendRequest of this.#limitedRequests()) {
      const { status, headers } = await sendRequest();
      const retrySeconds = Number(headers.get('retry-after'));
      const isRight = status === 429 && retrySeconds >= 1 && retrySeconds <= retrySecondsMax;
      if (isRight || monotonicMs() > untilMs) continue;
      violations.push(`a full window returned ${status}, retry after ${retrySeconds} s`);
    }
    return violations;
  }

  #limitedRequests() {
    const { process } = this.#clocked.find(({ name }) => name === 'limited api')!;
    const client = clientOf(process.url, this.#limitedKey);
    return [() => client.create({}), () => client.get('/v1/tasks/task_none')];
  }

  /** Usage counts tasks by the time of their creation, whichever clock made their IDs. */
  async #usageViolations(acknowledged: number): Promise<string[]> {
    const { admin } = this.#installation;
    const { id } = await this.#installation.account();
    const until = Math.ceil(nowMs() / 1000) + 1;
    const range = `created_after=${this.#sinceSeconds - 3600}&created_before=${until}`;
    const { body } = await admin.get(`/admin/accounts/${id}/usage?mode=live&${range}`);
    const { tasks } = body.total as { tasks: number };
    return tasks === acknowledged ? [] : [`of ${acknowledged} tasks, usage counts ${tasks}`];
  }
}

async function startAll(
  installation: Installation,
  names: readonly ClockedName[],
): Promise<ClockedProcess[]> {
  const clocked: ClockedProcess[] = [];
  for (const name of names) {
    const clock = await makeJumpingClock(installation.home, name.replaceAll(' ', '-'));
    const process = installation.start({
      role: name === 'all' ? 'all' : name.endsWith('api') ? 'api' : 'worker',
      ...(clocked.length === 0 ? {} : { port: await reservePort() }),
      environment: { ...clock.environment, ...(name === 'limited api' ? limited : {}) },
    });
    // The first process migrates the database, so the others must wait for it.
    if (!name.endsWith('worker')) await process.waitUntilServing();
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
