/**
 * Hands files to measuring processes, one at a time each. A hostile file costs one process and a
 * bounded time, never the service. A thread would not do: past its heap limit V8 may abort the
 * whole process and not the thread alone, as when an array grows by more than is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { monotonicMs, startTimer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { DurationWorkerMessage, DurationWorkerRequest } from './duration-worker.ts';
import type { DurationInput, DurationResult } from './media-duration.ts';

export type PoolResult =
  | DurationResult
  /** Its index took all the memory there is: no file of allowed length needs a hundredth of it. */
  | { readonly outcome: 'exhausted' }
  /** Not measured in time; nothing is proven by that. */
  | { readonly outcome: 'abandoned' };

export type DurationRequest = {
  readonly file: DurationInput;
  readonly accountId: string;
  /** Whoever asked has given up: a file that waits is dropped. */
  readonly signal: AbortSignal;
};

export type DurationPoolOptions = {
  readonly log: Log;
  readonly processesMax?: number;
  /** For one file. An ordinary one takes a few hundredths of that. */
  readonly measureMsMax?: number;
};

type PendingMeasurement = DurationRequest & { readonly settle: (result: PoolResult) => void };
type PoolWorker = {
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
const limitScript = 'ulimit -c 0; ulimit -t 60; exec "$0" "$@"';
/** Signals by which V8 gives up. Any other was sent by somebody and says nothing of the file. */
const crashSignals: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 134];
const accountsTrackedMax = 1_000;

export class DurationPool {
  readonly #log: Log;
  readonly #processesMax: number;
  readonly #measureMsMax: number;
  readonly #workers = new Set<PoolWorker>();
  readonly #waiting = new Set<PendingMeasurement>();
  readonly #spentMs = new Map<string, number>();
  #isClosed = false;

  constructor({ log, processesMax = 2, measureMsMax = 1_500 }: DurationPoolOptions) {
    this.#log = log;
    this.#processesMax = processesMax;
    this.#measureMsMax = measureMsMax;
  }

  measure(request: DurationRequest): Promise<PoolResult> {
    const { signal } = request;
    return new Promise((resolve) => {
      const abandon = () => pending.settle({ outcome: 'abandoned' });
      const pending: PendingMeasurement = {
        ...request,
        settle: (result) => {
          this.#waiting.delete(pending);
          signal.removeEventListener('abort', abandon);
          resolve(result);
        },
      };
      if (signal.aborted || this.#isClosed) return abandon();
      signal.addEventListener('abort', abandon, { once: true });
      this.#waiting.add(pending);
      this.#next();
    });
  }

  /** Starts a process while the bytes are still on their way. */
  warm(): void {
    if (this.#workers.size === 0 && !this.#isClosed) this.#start();
  }

  close(): void {
    this.#isClosed = true;
    for (const pending of this.#waiting) pending.settle({ outcome: 'abandoned' });
    for (const { child } of this.#workers) child.kill('SIGKILL');
  }

  /** Gives waiting files to idle processes, and starts one where there is none. */
  #next(): void {
    for (const worker of this.#workers) {
      const pending = worker.state === 'idle' ? this.#leastServed() : null;
      if (pending) this.#run(worker, pending);
    }
    const starting = [...this.#workers].filter(({ state }) => state === 'starting').length;
    if (this.#waiting.size > starting && this.#workers.size < this.#processesMax) this.#start();
  }

  /** Of the account that had the least: one that sends hostile files waits for everyone else. */
  #leastServed(): PendingMeasurement | null {
    let found: PendingMeasurement | null = null;
    const spent = ({ accountId }: PendingMeasurement) => this.#spentMs.get(accountId) ?? 0;
    for (const pending of this.#waiting)
      if (!found || spent(pending) < spent(found)) found = pending;
    return found;
  }

  #run(worker: PoolWorker, pending: PendingMeasurement): void {
    const { child } = worker;
    const startedMs = monotonicMs();
    const timer = startTimer(this.#measureMsMax, () => child.kill('SIGKILL'));
    const finish = (result: PoolResult) => {
      timer.stop();
      child.off('message', onMessage);
      child.off('exit', onExit);
      this.#charge(pending.accountId, monotonicMs() - startedMs);
      pending.settle(result);
    };
    const onMessage = (message: DurationWorkerMessage) => {
      if (!('measured' in message)) return;
      finish(message.measured);
      worker.filesLeft -= 1;
      worker.state = worker.filesLeft > 0 ? 'idle' : 'ending';
      if (worker.state === 'ending') child.kill('SIGKILL');
      this.#next();
    };
    const onExit = (code: number | null, killedBy: NodeJS.Signals | null) => {
      const how = killedBy ?? code;
      const result = { outcome: crashSignals.includes(how) ? 'exhausted' : 'abandoned' } as const;
      const fields = { accountId: pending.accountId, how, ...result };
      if (!this.#isClosed) this.#log.warn(fields, 'a material ended its measuring process');
      finish(result);
    };
    this.#waiting.delete(pending);
    worker.state = 'busy';
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.send(pending.file satisfies DurationWorkerRequest, () => {});
  }

  #charge(accountId: string, ms: number): void {
    if (this.#waiting.size === 0 || this.#spentMs.size >= accountsTrackedMax) {
      this.#spentMs.clear();
    }
    this.#spentMs.set(accountId, (this.#spentMs.get(accountId) ?? 0) + ms);
  }

  #start(): void {
    const child = spawnWorker();
    const worker: PoolWorker = { child, state: 'starting', filesLeft: filesMax };
    this.#workers.add(worker);
    child.once('message', () => {
      worker.state = 'idle';
      this.#next();
    });
    const onEnded = (how: unknown) => {
      if (!this.#workers.delete(worker) || this.#isClosed) return;
      if (worker.state !== 'starting') return void this.#next();
      // It would not start a second time either: nobody waits for it.
      this.#log.error({ how }, 'no process to measure materials with could be started');
      for (const pending of this.#waiting) pending.settle({ outcome: 'abandoned' });
    };
    child.on('error', (error) => onEnded(error.message));
    child.once('exit', (code, killedBy) => onEnded(killedBy ?? code));
    // It ends with this process and never keeps it.
    child.unref();
    child.channel?.unref();
  }
}

function spawnWorker(): ChildProcess {
  const script = fileURLToPath(new URL('./duration-worker.ts', import.meta.url));
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMegabytesMax}`,
    // A seat belt: scripts write no file, start no process.
    ...['--permission', '--allow-fs-read=*', '--no-warnings'],
    script,
  ];
  const [command = '', ...args] =
    process.platform === 'win32' ? node : ['/bin/sh', '-c', limitScript, ...node];
  return spawn(command, args, {
    // What it needs to start. Everything else of our environment may be a secret.
    env: { SystemRoot: process.env.SystemRoot, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}
