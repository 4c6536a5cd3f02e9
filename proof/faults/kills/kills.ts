/**
 * The service is killed with `kill -9`, as often as asked for, on both engines in turn: at every
 * named point of a task's life, at random moments, and while it starts.
 */
import { monotonicMs } from '../../../server/clock.ts';
import { crashPoints } from '../../../server/crash-point.ts';
import { startPostgres, type TestServer } from '../../kit/postgres.ts';
import {
  combineFindings,
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
} from '../fault-test.ts';
import { type Engine, Installation } from '../installation.ts';
import { errorResult, notesOf, tableOf, trialViolations } from './report.ts';
import {
  atRandomTime,
  type KillPoint,
  killPoints,
  type TrialResult,
  Trials,
  whileStarting,
} from './trial.ts';

/**
 * Installations at once, for two cores: more, and what is measured is how they wait for each other.
 * On PostgreSQL most of a trial is the waiting for leases to end.
 */
const workers = { embedded: 2, postgres: 6 } as const satisfies Record<Engine, number>;

/** The engine in the process makes its start the dearest: of a hundred kills, so many are there. */
const embeddedShare = 0.3;
/** Of installations, in each lane. */
const errorsMax = 3;

export const kills: FaultTest = {
  name: 'kills',
  title: 'a process is killed at any point of a task’s life, and started again',
  failures: [1, 2, 3, 18, 22],
  unit: 'kills',
  runs: 1000,
  requirements: [],
  async run(options) {
    const server = await startPostgres();
    try {
      return await new KillRun(options, server).run();
    } finally {
      await server.stop();
    }
  },
};

/** A held resource: the installations that are open, and what was found on them. */
class KillRun {
  readonly #options: FaultTestOptions;
  readonly #server: TestServer;
  readonly #results: TrialResult[] = [];
  /** What was wrong when everything was looked at again; no kill of its own. */
  readonly #later: string[] = [];
  readonly #open = new Set<Installation>();
  readonly #queues: Record<Engine, KillPoint[]>;
  readonly #fromMs = monotonicMs();
  #lastStart: Promise<unknown> = Promise.resolve();

  constructor(options: FaultTestOptions, server: TestServer) {
    this.#options = options;
    this.#server = server;
    const embedded = Math.floor(options.runs * embeddedShare);
    this.#queues = {
      embedded: killPointsFor(embedded),
      postgres: killPointsFor(options.runs - embedded),
    };
  }

  async run(): Promise<FaultTestResult> {
    const { signal } = this.#options;
    signal.addEventListener('abort', () => void this.#closeAll());
    const all = (['embedded', 'postgres'] as const).flatMap((engine) =>
      Array.from({ length: workers[engine] }, () => this.#killRepeatedly(engine)),
    );
    // Stopped on request, the trials under way come to nothing: that is no trouble.
    await Promise.all(all).catch((error: Error) => {
      if (!signal.aborted) throw error;
    });
    await this.#closeAll();
    return this.#result();
  }

  /** What goes wrong with one installation is said, and the next one is tried: hours are dear. */
  async #killRepeatedly(engine: Engine): Promise<void> {
    const { signal, log } = this.#options;
    for (let errors = 0; this.#queues[engine].length > 0 && errors < errorsMax; ) {
      if (signal.aborted) return;
      await this.#killOnOne(engine).catch((error: Error) => {
        if (signal.aborted) return;
        errors += 1;
        log(`  ✖ ${engine}: ${error.message}`);
        this.#later.push(`${engine}: ${error.message}`);
      });
    }
  }

  async #killOnOne(engine: Engine): Promise<void> {
    const { signal } = this.#options;
    const { installation, trials } = await this.#serialize(() => this.#prepare(engine));
    for (let isHealthy = true; isHealthy && !signal.aborted; ) {
      const killPoint = this.#queues[engine].shift();
      const result = killPoint
        ? await trials.run(killPoint).catch((error: Error) => errorResult(engine, killPoint, error))
        : null;
      if (result && !signal.aborted) this.#record(result);
      // After a breach a fresh installation: it is told once, not in every later trial.
      isHealthy = result !== null && trialViolations(result).length === 0;
    }
    if (signal.aborted) return;
    await this.#inspectAgain(engine, trials);
    this.#open.delete(installation);
    await installation.close();
  }

  /** A first start is the most work of all: one at a time, or they slow each other's trials. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#lastStart.then(work);
    this.#lastStart = mine.catch(() => {});
    return mine;
  }

  async #prepare(engine: Engine) {
    this.#options.signal.throwIfAborted();
    const installation = await Installation.open({ engine, serverUrl: this.#server.url });
    this.#open.add(installation);
    const trials = new Trials(installation);
    await trials.prepare();
    return { installation, trials };
  }

  /** What was right after each kill must still be right after all of them. */
  async #inspectAgain(engine: Engine, trials: Trials): Promise<void> {
    const killPoint = 'all of them, looked at again at the end';
    const found = await trials
      .inspectAll()
      .catch((error: Error) => errorResult(engine, killPoint, error));
    const violations = trialViolations({ ...found, engine, killPoint });
    for (const violation of violations) this.#options.log(`  ✖ ${violation}`);
    this.#later.push(...violations);
  }

  #record(result: TrialResult): void {
    this.#results.push(result);
    const { engine, killPoint, acknowledged, resumedSeconds, finalSeconds } = result;
    const done = this.#results.length;
    const minutesLeft =
      (((monotonicMs() - this.#fromMs) / done) * (this.#options.runs - done)) / 60_000;
    this.#options.log(
      `${done}/${this.#options.runs} ${engine}, ${killPoint}: ` +
        `${acknowledged} acknowledged, resumed ` +
        `in ${resumedSeconds.toFixed(1)} s, all final in ${finalSeconds.toFixed(1)} s; about ` +
        `${Math.ceil(minutesLeft)} min left`,
    );
    for (const violation of trialViolations(result)) this.#options.log(`  ✖ ${violation}`);
    this.#options.saveProgress(this.#result());
  }

  #result(): FaultTestResult {
    const orderOf = (one: TrialResult) => killPoints.indexOf(one.killPoint as KillPoint);
    const sorted = this.#results.toSorted((a, b) => orderOf(a) - orderOf(b));
    const of = (engine: Engine) => sorted.filter((one) => one.engine === engine);
    const details = [
      tableOf('killed, embedded engine', of('embedded')),
      tableOf('killed, PostgreSQL', of('postgres')),
    ].join('\n');
    return {
      ...combineFindings(sorted, {
        runs: sorted.length,
        violations: [...sorted.flatMap(trialViolations), ...this.#later],
        notes: (['embedded', 'postgres'] as const).flatMap((engine) => notesOf(engine, of(engine))),
      }),
      details,
    };
  }

  /** Also when stopped on request: processes, databases and folders go with us. */
  async #closeAll(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map((installation) => installation.close().catch(() => {})));
  }
}

/** Half are at named points, all of them in turn and each once at least; the rest is chance. */
function killPointsFor(count: number): KillPoint[] {
  const namedCount = Math.min(count, Math.max(crashPoints.length, Math.floor(count / 2)));
  const namedBefore = (at: number) => Math.floor((at * namedCount) / count);
  return Array.from({ length: count }, (_, at) => {
    const nth = namedBefore(at);
    if (namedBefore(at + 1) > nth) return crashPoints[nth % crashPoints.length]!;
    return (at - nth) % 3 === 2 ? whileStarting : atRandomTime;
  });
}
