/**
 * One kill: under load, at a named point or at any moment. Then the process is started again, as an
 * operator's supervisor does, and everything that was acknowledged must come to its right end.
 */
import { monotonicMs, sleep } from '../../../server/clock.ts';
import { type CrashPoint, crashPoints } from '../../../server/crash-point.ts';
import { type Findings, inspectTasks, type TaskExpectation, waitForEnd } from '../findings.ts';
import type { Engine, Installation } from '../installation.ts';
import type { ProcessExit, ServiceProcess } from '../service-process.ts';

export const atRandomTime = 'at a random moment';
export const whileStarting = 'while starting';
export type KillPoint = CrashPoint | typeof atRandomTime | typeof whileStarting;
export const killPoints: readonly KillPoint[] = [...crashPoints, atRandomTime, whileStarting];

export type TrialResult = Findings & {
  readonly engine: Engine;
  readonly killPoint: string;
  /** From the death until it served again and nobody held the dead process's work any more. */
  readonly resumedSeconds: number;
  /** From the death until everything acknowledged was final and told. */
  readonly finalSeconds: number;
};

type Environment = Readonly<Record<string, string>>;
type KilledProcess = { readonly pid: number; readonly ending: ProcessExit };

export type TrialOptions = {
  /** Ends the leases of the dead at once instead of in 15 s: for tests that measure nothing. */
  readonly cutLeases?: boolean;
};

/** A crash point is passed many times; which of the first few kills is left to chance. */
const passesMax = 4;
const reachedMsMax = 90_000;
const loadMs = { least: 300, most: 2500 };
/** Load after the recovery: new work and old must not be in each other's way. */
const afterwardsMs = 300;
const pollMs = 50;
const freedMsMax = 60_000;
/** Short, so that results expire while the trial is running. */
const shortLife: Environment = { VIDGEN_RESULT_TTL: '2s' };

/** Kills on one installation, one after the other: what one left behind would show in the next. */
export class Trials {
  readonly #installation: Installation;
  readonly #cutLeases: boolean;
  #process: ServiceProcess | undefined;
  #startMs = 2000;

  constructor(installation: Installation, { cutLeases = false }: TrialOptions = {}) {
    this.#installation = installation;
    this.#cutLeases = cutLeases;
  }

  /** The first start, which makes the database. */
  async prepare(): Promise<void> {
    await this.#serving();
  }

  async run(killPoint: KillPoint): Promise<TrialResult> {
    const { clients, engine } = this.#installation;
    const before = new Set(clients.acknowledged.keys());
    const expires = killPoint.startsWith('expire.');
    const environment = expires ? shortLife : {};
    const { pid, ending } = await this.#killAt(killPoint, environment);
    if (this.#cutLeases) await this.#installation.expireLeases(pid);
    await this.#begin(environment);
    const resumed = waitUntilFreed(this.#installation, pid).then(() => secondsSince(ending));
    await sleep(afterwardsMs);
    await clients.stop();
    const resumedSeconds = await resumed;
    const taskNumbers = [...clients.acknowledged.keys()].filter((one) => !before.has(one));
    const expected: TaskExpectation = { taskNumbers, results: expires ? 'expired' : 'kept' };
    await waitForEnd(this.#installation, expected);
    const finalSeconds = secondsSince(ending);
    const findings = await inspectTasks(this.#installation, expected);
    // The next trial's results are to live longer.
    if (expires) await this.#end();
    return { engine, killPoint, resumedSeconds, finalSeconds, ...findings };
  }

  /** Every task of every trial once more: a kill may also damage what was long finished. */
  async inspectAll(): Promise<Findings> {
    await this.#serving();
    const taskNumbers = [...this.#installation.clients.acknowledged.keys()];
    return await inspectTasks(this.#installation, { taskNumbers, results: 'either' });
  }

  async #killAt(killPoint: KillPoint, environment: Environment): Promise<KilledProcess> {
    const { clients } = this.#installation;
    if (killPoint === atRandomTime) {
      const victim = await this.#serving();
      clients.start();
      await sleep(loadMs.least + Math.random() * (loadMs.most - loadMs.least));
      return { pid: victim.pid, ending: await victim.kill() };
    }
    if (killPoint === whileStarting) {
      await (await this.#serving()).kill();
      const victim = this.#installation.start();
      clients.start();
      await sleep(Math.random() * this.#startMs);
      return { pid: victim.pid, ending: await victim.kill() };
    }
    return await this.#killAtPoint(killPoint, environment);
  }

  async #killAtPoint(point: CrashPoint, environment: Environment): Promise<KilledProcess> {
    await this.#end();
    const nth = 1 + Math.floor(Math.random() * passesMax);
    const victim = await this.#begin({ ...environment, VIDGEN_CRASH_AT: `${point}:${nth}` });
    this.#installation.clients.start();
    const late = new AbortController();
    const ending = await Promise.race([victim.exited, sleep(reachedMsMax, late.signal)]);
    late.abort();
    if (ending?.signal === 'SIGKILL') return { pid: victim.pid, ending };
    throw new Error(`${point}:${nth} was not reached: ${victim.output()}`);
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

  /** Between trials the process ends as in a deployment, and that must go well too. */
  async #end(): Promise<void> {
    if (!this.#process || this.#process.hasExited) return;
    const { code, signal } = await this.#process.stop();
    if (code !== 0)
      throw new Error(`a stop ended with ${code ?? signal}: ${this.#process.output()}`);
  }
}

/** Resolves when nobody waits for the dead, or the paused, any more. */
export async function waitUntilFreed(installation: Installation, pid: number): Promise<void> {
  const fromMs = monotonicMs();
  while ((await installation.countLeasedBy(pid)) > 0) {
    if (monotonicMs() - fromMs > freedMsMax) return;
    await sleep(pollMs);
  }
}

const secondsSince = ({ atMs }: ProcessExit): number => (monotonicMs() - atMs) / 1000;
