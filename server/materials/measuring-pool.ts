/**
 * Hands files to measuring processes, one at a time each. A hostile file costs one process and a
 * bounded time, never the service. A thread would not do: past its heap limit V8 may abort the
 * whole process and not the thread alone, as when an array grows by more than is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { after, elapsedMs } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Measurable, Measured } from './measure.ts';
import type { FromProcess, ToProcess } from './measuring-process.ts';

export type PoolAnswer =
  | Measured
  /** Its index took all the memory there is: no file of allowed length needs a hundredth of it. */
  | { readonly outcome: 'exhausted' }
  /** Not measured in time; nothing is proven by that. */
  | { readonly outcome: 'abandoned' };

export type Measuring = {
  readonly file: Measurable;
  readonly accountId: string;
  /** Whoever asked has given up: a file that waits is dropped. */
  readonly signal: AbortSignal;
};

export type PoolOptions = {
  readonly log: Log;
  readonly processesMax?: number;
  /** For one file. An ordinary one takes a few hundredths of that. */
  readonly measureMsMax?: number;
};

type Job = Measuring & { readonly settle: (answer: PoolAnswer) => void };
type Helper = {
  readonly child: ChildProcess;
  state: 'starting' | 'idle' | 'busy' | 'ending';
  filesLeft: number;
};

const heapMegabytesMax = 64;
/** A process is replaced after so many files: what they leave behind goes with it. */
const filesMax = 40;
/**
 * No core files of what customers make us abort; and where nobody is left to kill it, an end after
 * the seconds that `filesMax` files may take. A shell sets both, then the process takes its place.
 */
const limited = 'ulimit -c 0; ulimit -t 60; exec "$0" "$@"';
/** Signals by which V8 gives up. Any other was sent by somebody and says nothing of the file. */
const crashes: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 134];
const accountsRememberedMax = 1_000;

export class MeasuringPool {
  readonly #log: Log;
  readonly #processesMax: number;
  readonly #measureMsMax: number;
  readonly #helpers = new Set<Helper>();
  readonly #waiting = new Set<Job>();
  readonly #spentMs = new Map<string, number>();
  #isClosed = false;

  constructor({ log, processesMax = 2, measureMsMax = 1_500 }: PoolOptions) {
    this.#log = log;
    this.#processesMax = processesMax;
    this.#measureMsMax = measureMsMax;
  }

  measure(measuring: Measuring): Promise<PoolAnswer> {
    const { signal } = measuring;
    return new Promise((resolve) => {
      const leave = () => job.settle({ outcome: 'abandoned' });
      const job: Job = {
        ...measuring,
        settle: (answer) => {
          this.#waiting.delete(job);
          signal.removeEventListener('abort', leave);
          resolve(answer);
        },
      };
      if (signal.aborted || this.#isClosed) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(job);
      this.#next();
    });
  }

  /** Starts a process while the bytes are still on their way. */
  warm(): void {
    if (this.#helpers.size === 0 && !this.#isClosed) this.#start();
  }

  close(): void {
    this.#isClosed = true;
    for (const job of this.#waiting) job.settle({ outcome: 'abandoned' });
    for (const { child } of this.#helpers) child.kill('SIGKILL');
  }

  /** Gives waiting files to idle processes, and starts one where there is none. */
  #next(): void {
    for (const helper of this.#helpers) {
      const job = helper.state === 'idle' ? this.#mostPatient() : null;
      if (job) this.#run(helper, job);
    }
    const starting = [...this.#helpers].filter(({ state }) => state === 'starting').length;
    if (this.#waiting.size > starting && this.#helpers.size < this.#processesMax) this.#start();
  }

  /** Of the account that had the least: one that sends hostile files waits for everyone else. */
  #mostPatient(): Job | null {
    let found: Job | null = null;
    const spent = ({ accountId }: Job) => this.#spentMs.get(accountId) ?? 0;
    for (const job of this.#waiting) if (!found || spent(job) < spent(found)) found = job;
    return found;
  }

  #run(helper: Helper, job: Job): void {
    const { child } = helper;
    const startedMs = elapsedMs();
    const timer = after(this.#measureMsMax, () => child.kill('SIGKILL'));
    const finish = (answer: PoolAnswer) => {
      timer.stop();
      child.off('message', hear);
      child.off('exit', mourn);
      this.#charge(job.accountId, elapsedMs() - startedMs);
      job.settle(answer);
    };
    const hear = (answer: FromProcess) => {
      if (!('measured' in answer)) return;
      finish(answer.measured);
      helper.filesLeft -= 1;
      helper.state = helper.filesLeft > 0 ? 'idle' : 'ending';
      if (helper.state === 'ending') child.kill('SIGKILL');
      this.#next();
    };
    const mourn = (code: number | null, killedBy: NodeJS.Signals | null) => {
      const how = killedBy ?? code;
      const answer = { outcome: crashes.includes(how) ? 'exhausted' : 'abandoned' } as const;
      const facts = { accountId: job.accountId, how, ...answer };
      if (!this.#isClosed) this.#log.warn(facts, 'a material ended its measuring process');
      finish(answer);
    };
    this.#waiting.delete(job);
    helper.state = 'busy';
    child.on('message', hear);
    child.once('exit', mourn);
    child.send(job.file satisfies ToProcess, () => {});
  }

  #charge(accountId: string, ms: number): void {
    if (this.#waiting.size === 0 || this.#spentMs.size >= accountsRememberedMax) {
      this.#spentMs.clear();
    }
    this.#spentMs.set(accountId, (this.#spentMs.get(accountId) ?? 0) + ms);
  }

  #start(): void {
    const child = spawnMeasuring();
    const helper: Helper = { child, state: 'starting', filesLeft: filesMax };
    this.#helpers.add(helper);
    child.once('message', () => {
      helper.state = 'idle';
      this.#next();
    });
    const gone = (how: unknown) => {
      if (!this.#helpers.delete(helper) || this.#isClosed) return;
      if (helper.state !== 'starting') return void this.#next();
      // It would not start a second time either: nobody waits for it.
      this.#log.error({ how }, 'no process to measure materials with could be started');
      for (const job of this.#waiting) job.settle({ outcome: 'abandoned' });
    };
    child.on('error', (error) => gone(error.message));
    child.once('exit', (code, killedBy) => gone(killedBy ?? code));
    // It ends with this process and never keeps it.
    child.unref();
    child.channel?.unref();
  }
}

function spawnMeasuring(): ChildProcess {
  const program = fileURLToPath(new URL('./measuring-process.ts', import.meta.url));
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMegabytesMax}`,
    // A seat belt: scripts write no file, start no process.
    ...['--permission', '--allow-fs-read=*', '--no-warnings'],
    program,
  ];
  const [command = '', ...words] =
    process.platform === 'win32' ? node : ['/bin/sh', '-c', limited, ...node];
  return spawn(command, words, {
    // What it needs to start. Everything else of our environment may be a secret.
    env: { SystemRoot: process.env.SystemRoot, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}
