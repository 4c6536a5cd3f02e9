/**
 * Kills a process with `kill -9` under load, at a crash point or at any time, and starts it again
 * as a supervisor does. Every acknowledged task must then end as planned.
 */
import { monotonicMs, sleep } from '../../../server/process/clock.ts';
import type { CrashPoint } from '../../../server/process/crash-point.ts';
import type { Findings } from '../fault-test.ts';
import { inspectEnd, inspectTasks } from '../findings.ts';
import type { Installation } from '../installation.ts';
import type { ServiceProcess } from '../service-process.ts';

export const atRandomTime = 'at a random time';
export const whileStarting = 'while starting';
export type KillPoint = CrashPoint | typeof atRandomTime | typeof whileStarting;

type Environment = Readonly<Record<string, string>>;

/** A crash point is passed many times; which of the first few passes kills is random. */
const passesMax = 4;
const reachedMsMax = 90_000;
const loadMs = { least: 300, most: 2500 };
/** Load after the restart: new jobs and rescued ones must not block each other. */
const afterwardsMs = 300;
const pollMs = 50;
const freedMsMax = 60_000;
/** Short, so that results expire during the trial. */
const shortLife: Environment = { VIDGEN_RESULT_TTL: '2s' };

/** Kills on one installation, one after the other: damage by one kill shows in the next. */
export class Trials {
  readonly #installation: Installation;
  readonly #cutsLeases: boolean;
  #process: ServiceProcess | undefined;
  #startMs = 2000;
  /** How many acknowledged tasks were inspected. */
  #inspected = 0;

  /** `cutsLeases` expires the leases of dead processes at once: a test cannot wait 15 s. */
  constructor(installation: Installation, { cutsLeases }: { readonly cutsLeases: boolean }) {
    this.#installation = installation;
    this.#cutsLeases = cutsLeases;
  }

  async run(killPoint: KillPoint): Promise<Findings> {
    const { clients } = this.#installation;
    const isExpiring = killPoint.startsWith('expire.');
    const environment = isExpiring ? shortLife : {};
    const pid = await this.#killAt(killPoint, environment);
    if (this.#cutsLeases) await this.#installation.expireLeases(pid);
    await this.#begin(environment);
    const freed = waitUntilFreed(this.#installation, pid);
    await sleep(afterwardsMs);
    await clients.stop();
    await freed;
    const taskNumbers = clients.taskNumbers(this.#inspected);
    this.#inspected += taskNumbers.length;
    const results = isExpiring ? 'expired' : 'kept';
    const findings = await inspectEnd(this.#installation, { taskNumbers, results });
    // The results of the next trial must live longer.
    if (isExpiring) await this.#end();
    return { label: killPoint, ...findings };
  }

  /** Inspects the tasks of all trials again: a kill may also damage finished tasks. */
  async inspectAll(): Promise<Findings> {
    await this.#serving();
    return await inspectTasks(this.#installation, { results: 'either' });
  }

  async #killAt(killPoint: KillPoint, environment: Environment): Promise<number> {
    const { clients } = this.#installation;
    if (killPoint === atRandomTime) {
      const victim = await this.#serving();
      clients.start();
      await sleep(loadMs.least + Math.random() * (loadMs.most - loadMs.least));
      await victim.kill();
      return victim.pid;
    }
    if (killPoint === whileStarting) {
      await (await this.#serving()).kill();
      const victim = this.#installation.start();
      clients.start();
      await sleep(Math.random() * this.#startMs);
      await victim.kill();
      return victim.pid;
    }
    await this.#end();
    const nth = 1 + Math.floor(Math.random() * passesMax);
    const victim = await this.#begin({ ...environment, VIDGEN_CRASH_AT: `${killPoint}:${nth}` });
    clients.start();
    const late = new AbortController();
    const exit = await Promise.race([victim.exited, sleep(reachedMsMax, late.signal)]);
    late.abort();
    if (exit?.signal === 'SIGKILL') return victim.pid;
    throw new Error(`${killPoint}:${nth} was not reached: ${victim.output()}`);
  }

  async #begin(environment: Environment = {}): Promise<ServiceProcess> {
    const fromMs = monotonicMs();
    const process = this.#installation.start({ environment });
    this.#process = process;
    await process.waitUntilServing();
    this.#startMs = monotonicMs() - fromMs;
    await this.#installation.account();
    return process;
  }

  async #serving(): Promise<ServiceProcess> {
    return !this.#process || this.#process.hasExited ? await this.#begin() : this.#process;
  }

  /** Stops the process as a deployment does; a failed stop is an error of the trial. */
  async #end(): Promise<void> {
    if (!this.#process || this.#process.hasExited) return;
    const [violation] = await this.#process.stopViolations();
    if (violation) throw new Error(violation);
  }
}

/** Resolves when no job is leased to the process any more, or after a minute. */
export async function waitUntilFreed(installation: Installation, pid: number): Promise<void> {
  const fromMs = monotonicMs();
  while ((await installation.countLeasedBy(pid)) > 0) {
    if (monotonicMs() - fromMs > freedMsMax) return;
    await sleep(pollMs);
  }
}
