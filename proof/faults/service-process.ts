/**
 * One process of the service as an operator starts it, with its output in a file. It exits when the
 * process that started it exits, however that happens.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../server/process/clock.ts';

export type ProcessExit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
};

export type ServiceProcessOptions = {
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** A command that runs the service by `exec`: `unshare --mount`. */
  readonly through?: readonly string[];
  /** A command that starts the service by itself: `npm start`. */
  readonly launcher?: readonly string[];
};

const program = join(import.meta.dirname, '../../server/main.ts');
const pollMs = 50;
/** A process that hangs still ends its test; a busy machine takes minutes to start one. */
const startMsMax = 300_000;
const outputCharactersMax = 2000;

export class ServiceProcess implements AsyncDisposable {
  readonly url: string;
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  #exit: ProcessExit | undefined;

  constructor({ environment, logFile, through = [], launcher }: ServiceProcessOptions) {
    const log = openSync(logFile, 'a');
    const node = [...through, process.execPath, program];
    const [command = process.execPath, ...args] = launcher ?? node;
    // When the test process dies, the service sees 'disconnect' on this channel and drains.
    this.#child = spawn(command, args, {
      env: { ...inherited(), ...environment },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#logFile = logFile;
    this.url = `http://127.0.0.1:${environment.PORT}`;
    this.exited = once(this.#child, 'exit').then(([code, signal]) => {
      this.#exit = { code, signal };
      return this.#exit;
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** Resolves when `/healthz` succeeds; throws the output when the process exits before. */
  async waitUntilServing(): Promise<void> {
    const fromMs = monotonicMs();
    while (!(await this.#isHealthy())) {
      const problem = this.#exit ? 'exited before it served' : 'does not serve';
      if (this.#exit || monotonicMs() - fromMs > startMsMax) {
        throw new Error(`the process ${problem}:\n${this.output()}`);
      }
      await sleep(pollMs);
    }
  }

  /** The end of the log file, which several processes may share. */
  output(): string {
    return readFileSync(this.#logFile, 'utf8').slice(-outputCharactersMax);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<ProcessExit> {
    this.#child.kill('SIGKILL');
    return await this.exited;
  }

  /** Stops it as a deployment does; it drains and exits with 0. */
  async stop(): Promise<ProcessExit> {
    this.#child.kill('SIGTERM');
    return await this.exited;
  }

  /** Stops it; a violation is any other exit than with 0. */
  async stopViolations(): Promise<string[]> {
    const { code, signal } = await this.stop();
    return code === 0 ? [] : [`a stop ended with ${code ?? signal}: ${this.output()}`];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasExited) await this.kill();
  }

  async #isHealthy(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/healthz`);
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
}

/** The environment of the test process without settings of the service, and without `.env`. */
function inherited(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(VIDGEN_.*|OTEL_.*|HOST|PORT|NODE_TEST_CONTEXT|NODE_CHANNEL_.*)$/.test(name),
  );
  return { ...Object.fromEntries(entries), VIDGEN_TEST_ENV_FILE: 'off' };
}

/**
 * Finds a free port that can be used again after each kill: below the ephemeral range, so that no
 * outgoing connection takes it in between.
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
