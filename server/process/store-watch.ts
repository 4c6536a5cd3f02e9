/**
 * Notices when the database or the storage fails and does not heal. Such a process is reported as
 * unhealthy and finally given up, so that a supervisor starts a new one. Counts probes, not time: a
 * process that was suspended is not given up when it continues.
 */
import type { Log } from '../telemetry/log.ts';
import { sleep } from './clock.ts';

export const storeProbeMs = 10_000;
/** A shorter failure is not reported, such as that of a shared disk that is mounted again. */
const probesUntilUnhealthy = 3;
/** Ten minutes: longer than a restart or failover of a database takes. */
const probesUntilLost = 60;
/** Two minutes: descriptors that a process has leaked come back only when it ends. */
const probesUntilLostByDescriptors = 12;

/**
 * Errors that a new process would have too, and that pass without it: a full disk, and a database
 * server that is starting.
 */
const waitingCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', '53100', '57P03'];
const descriptorCodes: readonly unknown[] = ['EMFILE', 'ENFILE'];

type StoreProbe = {
  readonly name: string;
  /** What is shown while it fails. */
  readonly problem: string;
  /** Throws if the store cannot be used. */
  run(): Promise<void>;
};

export type StoreWatchOptions = {
  readonly probes: readonly StoreProbe[];
  readonly log: Log;
  /** Called once, when a store has failed for too long. */
  readonly onLost: (name: string) => void;
  readonly probeMsMax?: number;
};

export class StoreWatch {
  readonly #options: StoreWatchOptions;
  readonly #failures = new Map<string, number>();
  /** Probes that hang: a second one would only hang too. */
  readonly #pending = new Map<string, Promise<void>>();
  #isLost = false;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
  }

  /** What is wrong, by the name of the store; empty if all is well. */
  problems(): Record<string, string> {
    const failing = this.#options.probes.filter(
      ({ name }) => (this.#failures.get(name) ?? 0) >= probesUntilUnhealthy,
    );
    return Object.fromEntries(failing.map(({ name, problem }) => [name, problem]));
  }

  /** Called every `storeProbeMs`. */
  async probe(): Promise<void> {
    await Promise.all(this.#options.probes.map((probe) => this.#probe(probe)));
  }

  async #probe(probe: StoreProbe): Promise<void> {
    const { log, onLost } = this.#options;
    const { name } = probe;
    const error = await this.#errorOf(probe);
    const code = (error as NodeJS.ErrnoException | null)?.code;
    if (error === null || waitingCodes.includes(code)) return void this.#failures.delete(name);
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    if (failures === probesUntilUnhealthy) log.error({ store: name, error }, 'store is failing');
    const isDescriptors = descriptorCodes.includes(code);
    const failuresMax = isDescriptors ? probesUntilLostByDescriptors : probesUntilLost;
    if (failures < failuresMax || this.#isLost) return;
    this.#isLost = true;
    onLost(name);
  }

  async #errorOf(probe: StoreProbe): Promise<Error | null> {
    const { probeMsMax = storeProbeMs / 2 } = this.#options;
    const { name } = probe;
    const running = this.#pending.get(name) ?? probe.run();
    this.#pending.set(name, running);
    const finished = new AbortController();
    const settled = running.then(
      () => null,
      (error: Error) => error,
    );
    const late = sleep(probeMsMax, finished.signal).then(() => 'late' as const);
    const result = await Promise.race([settled, late]);
    finished.abort();
    if (result === 'late') return new Error('no response');
    this.#pending.delete(name);
    return result;
  }
}
