/**
 * Kills the service with `kill -9`: at every crash point of a task's life, at random times, and
 * while it starts.
 */
import { monotonicMs } from '../../../server/clock.ts';
import { crashPoints } from '../../../server/crash-point.ts';
import { startPostgres } from '../../kit/postgres.ts';
import {
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
  findingViolations,
  resultOf,
} from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { errorTrial, trialReport } from './report.ts';
import {
  atRandomTime,
  type KillPoint,
  killPoints,
  type TrialResult,
  Trials,
  whileStarting,
} from './trial.ts';

/**
 * Installations at once, for two cores: with more, they would measure how they wait for each other.
 * Most of a trial is the wait for leases to expire.
 */
const installationsMax = 6;
/** Failed installations per loop before it gives up. */
const errorsMax = 3;

export const kills: FaultTest = {
  name: 'kills',
  title: 'a process is killed at any point of a task’s life, and started again',
  failures: [1, 2, 3, 18, 22],
  unit: 'kills',
  runs: 1000,
  async run(options) {
    const server = await startPostgres();
    return await new KillRun(options, server.url).run().finally(() => server.stop());
  },
};

/** A held resource: the open installations, and the trials on them. */
class KillRun {
  readonly #options: FaultTestOptions;
  readonly #serverUrl: string;
  readonly #trials: TrialResult[] = [];
  /** Violations that belong to no single kill. */
  readonly #violations: string[] = [];
  readonly #open = new Set<Installation>();
  readonly #queue: KillPoint[];
  readonly #fromMs = monotonicMs();
  #lastStart: Promise<unknown> = Promise.resolve();

  constructor(options: FaultTestOptions, serverUrl: string) {
    this.#options = options;
    this.#serverUrl = serverUrl;
    this.#queue = killPointsFor(options.runs);
  }

  async run(): Promise<FaultTestResult> {
    const { signal } = this.#options;
    signal.addEventListener('abort', () => void this.#closeAll());
    await Promise.all(Array.from({ length: installationsMax }, () => this.#killRepeatedly()));
    await this.#closeAll();
    return this.#result();
  }

  /** An error of one installation is reported, and the next one continues the run of hours. */
  async #killRepeatedly(): Promise<void> {
    const { signal } = this.#options;
    for (let errors = 0; this.#queue.length > 0 && errors < errorsMax; ) {
      if (signal.aborted) return;
      await this.#killOnOne().catch((error: Error) => {
        errors += 1;
        // A run that is stopped early interrupts its trials; that is no violation.
        if (!signal.aborted) this.#report([error.message]);
      });
    }
  }

  async #killOnOne(): Promise<void> {
    const { signal } = this.#options;
    const { installation, trials } = await this.#serialize(() => this.#prepare());
    for (let isHealthy = true; isHealthy && !signal.aborted; ) {
      const killPoint = this.#queue.shift();
      if (!killPoint) break;
      const trial = await trials
        .run(killPoint)
        .catch((error: Error) => errorTrial(killPoint, error));
      if (!signal.aborted) this.#record(trial);
      // After a violation a new installation, or every later trial would report it again.
      isHealthy = findingViolations(trial).length === 0;
    }
    if (signal.aborted) return;
    const label = 'all tasks inspected again at the end';
    const found = await trials.inspectAll().catch((error: Error) => errorTrial('', error));
    this.#report(findingViolations({ ...found, label }));
    this.#open.delete(installation);
    await installation.close();
  }

  /** First starts run one at a time: they are the most work and would slow the trials down. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#lastStart.then(work);
    this.#lastStart = mine.catch(() => {});
    return mine;
  }

  async #prepare() {
    this.#options.signal.throwIfAborted();
    const installation = await Installation.open({ serverUrl: this.#serverUrl });
    this.#open.add(installation);
    const trials = new Trials(installation);
    await trials.prepare();
    return { installation, trials };
  }

  #report(violations: readonly string[]): void {
    for (const violation of violations) this.#options.log(`  ✖ ${violation}`);
    this.#violations.push(...violations);
  }

  #record(trial: TrialResult): void {
    this.#trials.push(trial);
    const { runs, log, saveProgress } = this.#options;
    const done = this.#trials.length;
    const minutesLeft = (((monotonicMs() - this.#fromMs) / done) * (runs - done)) / 60_000;
    log(
      `${done} of ${runs}: ${trial.label}: ${trial.acknowledged} tasks acknowledged, resumed in ` +
        `${trial.resumedSeconds.toFixed(1)} s; about ${Math.ceil(minutesLeft)} min left`,
    );
    for (const violation of findingViolations(trial)) log(`  ✖ ${violation}`);
    saveProgress(this.#result());
  }

  #result(): FaultTestResult {
    const orderOf = (one: TrialResult) => killPoints.indexOf(one.killPoint as KillPoint);
    const sorted = this.#trials.toSorted((a, b) => orderOf(a) - orderOf(b));
    const violations = this.#violations;
    return resultOf(sorted, { violations, ...trialReport('killed', sorted) });
  }

  /** Also called when the run is stopped early, so that no process or database is left. */
  async #closeAll(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((installation) => installation.close().catch(() => {})));
  }
}

/**
 * Half of the kills go through the crash points in turn, each at least once; the rest is random.
 */
function killPointsFor(count: number): KillPoint[] {
  const namedCount = Math.min(count, Math.max(crashPoints.length, Math.floor(count / 2)));
  const namedBefore = (at: number) => Math.floor((at * namedCount) / count);
  return Array.from({ length: count }, (_, at) => {
    const nth = namedBefore(at);
    if (namedBefore(at + 1) > nth) return crashPoints[nth % crashPoints.length]!;
    return (at - nth) % 3 === 2 ? whileStarting : atRandomTime;
  });
}
