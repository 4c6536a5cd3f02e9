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

/** What runs during a trial: by default the clients of the installation. */
export type TrialLoad = {
  start(): void;
  /** Resolves when every request has its response. */
  stop(): Promise<void>;
  /** Waits for the ends of all tasks since the last call and inspects them. */
  inspect(results: 'kept' | 'expired'): Promise<Findings>;
};

export type TrialsOptions = {
  /** Expires the leases of dead processes at once, for tests that cannot wait 15 s. */
  readonly cutsLeases?: boolean;
  readonly load?: TrialLoad;
};

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
  readonly #load: TrialLoad;
  #process: ServiceProcess | undefined;
  #startMs = 2000;

  constructor(installation: Installation, options: TrialsOptions = {}) {
    this.#installation = installation;
    this.#cutsLeases = options.cutsLeases ?? false;
    this.#load = options.load ?? clientLoad(installation);
  }

  async run(killPoint: KillPoint): Promise<Findings> {
    const isExpiring = killPoint.startsWith('expire.');
    const environment = isExpiring ? shortLife : {};
    const pid = await this.#killAt(killPoint, environment);
    if (this.#cutsLeases) await this.#installation.expireLeases(pid);
    await this.#begin(environment);
    const freed = waitUntilFreed(this.#installation, pid);
    await sleep(afterwardsMs);
    await this.#load.stop();
    await freed;
    const findings = await this.#load.inspect(isExpiring ? 'expired' : 'kept');
    // The results of the next trial must live longer.
    if (isExpiring) await this.#end();
    return { label: killPoint, ...findings };
  }

  /** Inspects the tasks of all trials again: a kill may also damage finished tasks. */
  async inspectAll(): Promise<Findings> {
    await this.#serving();
    return await inspectTasks(this.#installation, { results: 'either' });
  }

  /** Returns the process ID of the killed process. */
  async #killAt(killPoint: KillPoint, environment: Environment): Promise<number> {
    if (killPoint === atRandomTime) {
      const victim = await this.#serving();
      this.#load.start();
      await sleep(loadMs.least + Math.random() * (loadMs.most - loadMs.least));
      await victim.kill();
      return victim.pid;
    }
    if (killPoint === whileStarting) {
      await (await this.#serving()).kill();
      const victim = this.#installation.start();
      this.#load.start();
      await sleep(Math.random() * this.#startMs);
      await victim.kill();
      return victim.pid;
    }
    await this.#end();
    const nth = 1 + Math.floor(Math.random() * passesMax);
    const victim = await this.#begin({ ...environment, VIDGEN_CRASH_AT: `${killPoint}:${nth}` });
    this.#load.start();
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

function clientLoad(installation: Installation): TrialLoad {
  const { clients } = installation;
  let inspected = 0;
  return {
    start: () => clients.start(),
    stop: () => clients.stop(),
    async inspect(results) {
      const taskNumbers = clients.taskNumbers(inspected);
      inspected += taskNumbers.length;
      return await inspectEnd(installation, { taskNumbers, results });
    },
  };
}

/** Resolves when no job is leased to the process any more, or after a minute. */
export async function waitUntilFreed(installation: Installation, pid: number): Promise<void> {
  const fromMs = monotonicMs();
  while ((await installation.countLeasedBy(pid)) > 0) {
    if (monotonicMs() - fromMs > freedMsMax) return;
    await sleep(pollMs);
  }
}
