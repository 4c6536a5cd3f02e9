/**
 * Measures files in worker processes, one file at a time each. A hostile file costs one process and
 * a bounded time, never the service. A thread is not enough: beyond its heap limit V8 can abort the
 * whole process, for example when an array outgrows the remaining memory.
 */
import type { Socket } from 'node:net';
import { readJsonLines } from '../process/child-lines.ts';
import { monotonicMs, startTimer } from '../process/clock.ts';
import { cpuMsOf } from '../process/process-tree.ts';
import { exitSignal, killConfined } from '../process/sandbox.ts';
import type { Log } from '../telemetry/log.ts';
import { type DurationProcess, isResult, ownScript, startProcess } from './duration-process.ts';
import { encodeRequest } from './duration-request.ts';
import type { DurationWorkerMessage } from './duration-worker.ts';
import { KilledFiles } from './killed-files.ts';
import type { DurationInput, DurationResult } from './media-duration.ts';

type PoolResult =
  | DurationResult
  /** The index used up all memory; no file of an allowed length needs a hundredth of it. */
  | { readonly outcome: 'exhausted' }
  /**
   * Not measured in time, which proves nothing about the file. `hadTurn` if it was begun and got
   * the processor time for it; otherwise only our load was why.
   */
  | { readonly outcome: 'abandoned'; readonly hadTurn: boolean };

type DurationRequest = {
  readonly file: DurationInput;
  readonly accountId: string;
  /** Aborted when the caller gives up; a waiting file is then dropped. */
  readonly signal: AbortSignal;
};

export type DurationPoolOptions = {
  readonly log: Log;
  readonly processesMax?: number;
  /** Per file. An ordinary file takes a few hundredths of this. */
  readonly measureMsMax?: number;
  /** The path of the worker; tests replace it. */
  readonly script?: string;
};

type PendingMeasurement = DurationRequest & { readonly settle: (result: PoolResult) => void };
type PoolWorker = {
  readonly child: DurationProcess;
  /** Called with the result of the file that it measures. */
  onMeasured: ((result: DurationResult) => void) | null;
  state: 'starting' | 'idle' | 'busy' | 'ending';
  filesLeft: number;
  accountId: string | null;
};

/** A process is replaced after this many files, with everything they leaked. */
const filesMax = 40;
/**
 * Signals with which V8 aborts. Any other signal came from outside and says nothing about the file.
 */
const crashSignals: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV'];
const accountsTrackedMax = 1_000;
/** A result has a hundredth of it. */
const messageCharactersMax = 10_000;
const unbegun: PoolResult = { outcome: 'abandoned', hadTurn: false };

export class DurationPool {
  readonly #options: Required<DurationPoolOptions>;
  readonly #workers = new Set<PoolWorker>();
  readonly #waiting = new Set<PendingMeasurement>();
  readonly #spentMs = new Map<string, number>();
  readonly #killed = new KilledFiles<PoolResult>();
  #isClosed = false;

  constructor(options: DurationPoolOptions) {
    this.#options = { processesMax: 2, measureMsMax: 1_500, script: ownScript, ...options };
  }

  async measure(request: DurationRequest): Promise<PoolResult> {
    const known = this.#killed.find(request.file);
    if (known) return known;
    const { signal } = request;
    return await new Promise((resolve) => {
      const abandon = () => {
        const hadTurn = isBegun && !this.#waiting.has(pending);
        pending.settle({ outcome: 'abandoned', hadTurn });
      };
      let isBegun = false;
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
      isBegun = true;
      this.#dispatch();
    });
  }

  /** Starts a process while the bytes are still being downloaded. */
  warm(): void {
    if (this.#workers.size === 0 && !this.#isClosed) this.#start();
  }

  close(): void {
    this.#isClosed = true;
    for (const pending of this.#waiting) pending.settle(unbegun);
    for (const { child } of this.#workers) killConfined(child);
  }

  /** Gives waiting files to idle processes and starts a process if more are needed. */
  #dispatch(): void {
    for (const worker of this.#workers) {
      const pending = worker.state === 'idle' ? this.#leastServed() : null;
      if (pending) this.#run(worker, pending);
    }
    const starting = [...this.#workers].filter(({ state }) => state === 'starting').length;
    if (this.#waiting.size > starting && this.#workers.size < this.#options.processesMax)
      this.#start();
  }

  /**
   * Picks the account that used the least time, so that hostile files wait behind other accounts.
   * Accounts whose file was killed have one process together: the others are free for the rest.
   */
  #leastServed(): PendingMeasurement | null {
    let found: PendingMeasurement | null = null;
    const spent = ({ accountId }: PendingMeasurement) => this.#spentMs.get(accountId) ?? 0;
    const hasKilled = (accountId: string | null) =>
      accountId !== null && this.#killed.isFrom(accountId);
    const isTaken = [...this.#workers].some(({ accountId }) => hasKilled(accountId));
    for (const pending of this.#waiting) {
      if (isTaken && hasKilled(pending.accountId)) continue;
      if (!found || spent(pending) < spent(found)) found = pending;
    }
    return found;
  }

  #run(worker: PoolWorker, pending: PendingMeasurement): void {
    const { child } = worker;
    const startedMs = monotonicMs();
    const cpuMs = cpuMsOf(child.pid);
    let hadTurn = true;
    const { measureMsMax, log } = this.#options;
    const timer = startTimer(measureMsMax, () => {
      const usedMs = cpuMs === null ? null : (cpuMsOf(child.pid) ?? 0) - cpuMs;
      hadTurn = usedMs !== null && usedMs >= measureMsMax / 2;
      killConfined(child);
    });
    const finish = (result: PoolResult) => {
      timer.stop();
      child.off('exit', onExit);
      worker.accountId = null;
      worker.onMeasured = null;
      this.#charge(pending.accountId, monotonicMs() - startedMs);
      pending.settle(result);
    };
    worker.onMeasured = (result) => {
      finish(result);
      worker.filesLeft -= 1;
      worker.state = worker.filesLeft > 0 ? 'idle' : 'ending';
      if (worker.state === 'ending') killConfined(child);
      this.#dispatch();
    };
    const onExit = (code: number | null, killedBy: NodeJS.Signals | null) => {
      const exit = exitSignal(code, killedBy) ?? code;
      const result: PoolResult = crashSignals.includes(exit)
        ? { outcome: 'exhausted' }
        : { outcome: 'abandoned', hadTurn };
      const fields = { accountId: pending.accountId, exit, outcome: result.outcome };
      if (!this.#isClosed) log.warn(fields, 'duration worker crashed');
      const isKilled = result.outcome === 'exhausted' || hadTurn;
      if (isKilled) this.#remember(pending, result);
      finish(result);
    };
    this.#waiting.delete(pending);
    worker.state = 'busy';
    worker.accountId = pending.accountId;
    // Before the next file is chosen.
    child.prependOnceListener('exit', onExit);
    for (const part of encodeRequest(pending.file)) child.stdin.write(part);
  }

  #remember({ file, accountId }: PendingMeasurement, result: PoolResult): void {
    this.#killed.add(file, { accountId, result });
    for (const pending of this.#waiting) {
      const known = this.#killed.find(pending.file);
      if (known) pending.settle(known);
    }
  }

  #charge(accountId: string, ms: number): void {
    if (this.#waiting.size === 0 || this.#spentMs.size >= accountsTrackedMax) {
      this.#spentMs.clear();
    }
    this.#spentMs.set(accountId, (this.#spentMs.get(accountId) ?? 0) + ms);
  }

  #start(): void {
    const child = startProcess(this.#options.script);
    const worker: PoolWorker = {
      child,
      state: 'starting',
      filesLeft: filesMax,
      accountId: null,
      onMeasured: null,
    };
    this.#workers.add(worker);
    readJsonLines(child.stdout, {
      onLine: (line) => {
        const message = line as DurationWorkerMessage | undefined;
        if (worker.state === 'starting' && message && 'ready' in message) {
          worker.state = 'idle';
          return this.#dispatch();
        }
        const result = message && 'measured' in message ? message.measured : null;
        // A file may have taken it over: the next one gets another process.
        if (result && isResult(result) && worker.onMeasured) worker.onMeasured(result);
        else killConfined(child);
      },
      onOverflow: () => killConfined(child),
      lineCharactersMax: messageCharactersMax,
    });
    // It has just ended.
    child.stdin.on('error', () => {});
    const onEnded = (exit: unknown) => {
      if (!this.#workers.delete(worker) || this.#isClosed) return;
      if (worker.state !== 'starting') return void this.#dispatch();
      // A second start would fail as well, so waiting files are abandoned.
      this.#options.log.error({ exit }, 'duration worker could not start');
      for (const pending of this.#waiting) pending.settle(unbegun);
    };
    child.on('error', (error) => onEnded(error.message));
    child.once('exit', (code, killedBy) => onEnded(killedBy ?? code));
    // It ends with this process and does not keep it alive.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref();
  }
}
