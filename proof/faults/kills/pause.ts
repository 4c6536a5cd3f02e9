/**
 * A process that is paused past its lease and then goes on, as after a machine that hung: by then
 * its work is another's and long finished, and whatever it still wants to write or to pay for is
 * refused.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { monotonicMs, sleep } from '../../../server/clock.ts';
import type { CrashPoint } from '../../../server/crash-point.ts';
import { inspectTasks, type TaskExpectation, waitForEnd } from '../findings.ts';
import type { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { type TrialResult, waitUntilFreed } from './trial.ts';

/** Where a process that goes on would do harm if nobody checked. */
export const pausePoints = [
  'accept.before-commit',
  'submit.claimed',
  'submit.intent-written',
  'submit.answered',
  'poll.answered',
  'collect.stored',
  'settle.before-commit',
  'notify.claimed',
  'notify.answered',
] as const satisfies readonly CrashPoint[];
export type PausePoint = (typeof pausePoints)[number];

const pollMs = 50;
const reachedMsMax = 90_000;
const loadMs = 500;
/** Not the first pass: by then its connections are open. */
const passes = 3;

/** One api and one worker that stay, on PostgreSQL; beside them the one that is paused. */
export class Pauses {
  readonly #installation: Installation;
  readonly #staying: readonly ServiceProcess[];

  private constructor(installation: Installation, staying: readonly ServiceProcess[]) {
    this.#installation = installation;
    this.#staying = staying;
  }

  static async begin(installation: Installation): Promise<Pauses> {
    const api = installation.start({ role: 'api' });
    await api.waitUntilServing();
    await installation.account();
    return new Pauses(installation, [api, installation.start({ role: 'worker' })]);
  }

  async run(point: PausePoint): Promise<TrialResult> {
    const { clients, engine } = this.#installation;
    const before = new Set(clients.acknowledged.keys());
    const expected = (): TaskExpectation => ({
      taskNumbers: [...clients.acknowledged.keys()].filter((one) => !before.has(one)),
      results: 'kept',
    });
    const { victim, stray } = await this.#pauseAt(point);
    const fromMs = monotonicMs();
    const secondsSincePause = () => (monotonicMs() - fromMs) / 1000;
    // Everybody else is answered, also those who share an account with what is paused.
    await sleep(loadMs);
    await clients.stop();
    await waitUntilFreed(this.#installation, victim.pid);
    const resumedSeconds = secondsSincePause();
    await waitForEnd(this.#installation, expected());
    const finalSeconds = secondsSincePause();

    // Only now, when all that it was doing has been done by others.
    victim.signal('SIGCONT');
    await stray;
    const { code, signal } = await victim.stop();
    await waitForEnd(this.#installation, expected());
    const findings = await inspectTasks(this.#installation, expected());
    const broken = [
      ...findings.broken,
      ...(code === 0 ? [] : [`it ended with ${code ?? signal}: ${victim.output()}`]),
      ...this.#staying
        .filter(({ hasExited: isOver }) => isOver)
        .map(({ pid }) => `${pid} ended as well`),
    ];
    return {
      engine,
      killPoint: `paused: ${point}`,
      resumedSeconds,
      finalSeconds,
      ...findings,
      broken,
    };
  }

  /** One task after the other until it is reached, so that the process is in one place only. */
  async #pauseAt(point: PausePoint) {
    const { clients } = this.#installation;
    const role = point.startsWith('accept.') ? 'api' : 'worker';
    const port = await reservePort();
    const nth = role === 'api' ? 1 : passes;
    const environment = { VIDGEN_PAUSE_AT: `${point}:${nth}` };
    const victim = this.#installation.start({ role, port, environment });
    if (role === 'api') await victim.waitUntilServing();
    // Accepting is an api's work: its create comes back only after the pause.
    const stray = role === 'api' ? clients.create({ firstAt: victim.url }) : null;
    const fromMs = monotonicMs();
    let waitingFor = 0;
    while (!(await isPaused(victim.pid))) {
      if (victim.hasExited || monotonicMs() - fromMs > reachedMsMax) {
        throw new Error(`${point} was not reached: ${victim.output()}`);
      }
      if (role === 'worker' && (waitingFor === 0 || clients.hasWebhook(waitingFor))) {
        waitingFor = await clients.create();
      }
      await sleep(pollMs);
    }
    clients.start();
    return { victim, stray };
  }
}

async function isPaused(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]);
  return stdout.trim().startsWith('T');
}
