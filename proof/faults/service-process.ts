/**
 * One process of the service as an operator starts it, with its output in a file. It can be killed,
 * paused and stopped, and it ends with the process that started it, however that ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { elapsedMs, sleep } from '../../server/clock.ts';

export type Ending = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly atMs: number;
};

export type ServiceProcessOptions = {
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** A command that ends by becoming the one it is given: `unshare --mount`. */
  readonly through?: readonly string[];
};

const program = join(import.meta.dirname, '../../server/main.ts');
const lookMs = 50;
const startMsMax = 120_000;
const saidCharactersMax = 2000;

export class ServiceProcess {
  readonly url: string;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  #ending: Ending | undefined;

  constructor({ environment, logFile, through = [] }: ServiceProcessOptions) {
    const log = openSync(logFile, 'a');
    const [command = process.execPath, ...words] = [...through, process.execPath, program];
    // The channel is what ends it when we are gone: it sees 'disconnect', and drains.
    this.#child = spawn(command, words, {
      env: { ...inherited(), ...environment },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#logFile = logFile;
    this.url = `http://127.0.0.1:${environment.PORT}`;
    this.ended = once(this.#child, 'exit').then(([code, signal]) => {
      this.#ending = { code, signal, atMs: elapsedMs() };
      return this.#ending;
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves when it answers; throws what it said when it ended first. */
  async serving(): Promise<void> {
    const fromMs = elapsedMs();
    while (!(await this.#answers())) {
      const trouble = this.#ending ? 'ended before it served' : 'does not serve';
      if (this.#ending || elapsedMs() - fromMs > startMsMax) {
        throw new Error(`the process ${trouble}:\n${this.said()}`);
      }
      await sleep(lookMs);
    }
  }

  /** The end of what all processes with this log have said. */
  said(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-saidCharactersMax);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** `kill -9`. */
  async kill(): Promise<Ending> {
    this.#child.kill('SIGKILL');
    return await this.ended;
  }

  /** As a deployment ends it: it drains, and says by its code whether that went well. */
  async stop(): Promise<Ending> {
    this.#child.kill('SIGTERM');
    return await this.ended;
  }

  async #answers(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/healthz`);
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }
}

/** Our environment without settings of the service, which would be ours and not the test's. */
function inherited(): NodeJS.ProcessEnv {
  const named = Object.entries(process.env).filter(
    ([name]) => !/^(VIDGEN_.*|HOST|PORT|NODE_TEST_CONTEXT|NODE_CHANNEL_.*)$/.test(name),
  );
  return Object.fromEntries(named);
}

/**
 * A port to come back to after each kill: below those that outgoing connections get, so that none
 * of them takes it in between.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
