/**
 * A process that is paused past its lease and then goes on, as after a machine that hung: by then
 * its work is another's and long finished, and whatever it still wants to write or to pay for is
 * refused.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { elapsedMs, sleep } from '../../../server/clock.ts';
import type { CrashPoint } from '../../../server/crash-point.ts';
import { type Expectation, lookAt, waitForEnd } from '../findings.ts';
import type { Installation } from '../installation.ts';
import { reservePort, type ServiceProcess } from '../service-process.ts';
import { freed, type Verdict } from './trial.ts';

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

const lookMs = 50;
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
    await api.serving();
    await installation.account();
    return new Pauses(installation, [api, installation.start({ role: 'worker' })]);
  }

  async run(point: PausePoint): Promise<Verdict> {
    const { clients, engine } = this.#installation;
    const before = new Set(clients.acknowledged.keys());
    const expected = (): Expectation => ({
      taskNumbers: [...clients.acknowledged.keys()].filter((one) => !before.has(one)),
      results: 'kept',
    });
    const { victim, stray } = await this.#pauseAt(point);
    const fromMs = elapsedMs();
    const secondsSincePause = () => (elapsedMs() - fromMs) / 1000;
    // Everybody else is answered, also those who share an account with what is paused.
    await sleep(loadMs);
    await clients.stop();
    await freed(this.#installation, victim.pid);
    const resumedSeconds = secondsSincePause();
    await waitForEnd(this.#installation, expected());
    const finalSeconds = secondsSincePause();

    // Only now, when all that it was doing has been done by others.
    victim.signal('SIGCONT');
    await stray;
    const { code, signal } = await victim.stop();
    await waitForEnd(this.#installation, expected());
    const findings = await lookAt(this.#installation, expected());
    const broken = [
      ...findings.broken,
      ...(code === 0 ? [] : [`it ended with ${code ?? signal}: ${victim.said()}`]),
      ...this.#staying.filter(({ isOver }) => isOver).map(({ pid }) => `${pid} ended as well`),
    ];
    return {
      engine,
      moment: `paused: ${point}`,
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
    if (role === 'api') await victim.serving();
    // Accepting is an api's work: its create comes back only after the pause.
    const stray = role === 'api' ? clients.create({ firstAt: victim.url }) : null;
    const fromMs = elapsedMs();
    let waitingFor = 0;
    while (!(await isPaused(victim.pid))) {
      if (victim.isOver || elapsedMs() - fromMs > reachedMsMax) {
        throw new Error(`${point} was not reached: ${victim.said()}`);
      }
      if (role === 'worker' && (waitingFor === 0 || clients.isCalledAbout(waitingFor))) {
        waitingFor = await clients.create();
      }
      await sleep(lookMs);
    }
    clients.start();
    return { victim, stray };
  }
}

async function isPaused(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]);
  return stdout.trim().startsWith('T');
}
