/**
 * The service is killed with `kill -9`, as often as asked for, on both engines in turn: at every
 * named point of a task's life, at random moments, and while it starts.
 */
import { elapsedMs } from '../../../server/clock.ts';
import { crashPoints } from '../../../server/crash-point.ts';
import { startPostgres, type TestServer } from '../../kit/postgres.ts';
import { type Engine, Installation } from '../installation.ts';
import { type Outcome, outcomeOf, type Proof, type ProofOrder } from '../proof.ts';
import { mishap, notesOf, sentencesOf, tableOf } from './report.ts';
import {
  type Moment,
  moments,
  randomMoment,
  Trials,
  type Verdict,
  whileStarting,
} from './trial.ts';

/**
 * Installations at once, for two cores: more, and what is measured is how they wait for each other.
 * On PostgreSQL most of a trial is the waiting for leases to end.
 */
const lanes = { embedded: 2, postgres: 6 } as const satisfies Record<Engine, number>;

/** The engine in the process makes its start the dearest: of a hundred kills, so many are there. */
const embeddedShare = 0.3;
/** Of installations, in each lane. */
const mishapsMax = 3;

export const kills: Proof = {
  name: 'kills',
  title: 'a process is killed at any point of a task’s life, and started again',
  failures: [1, 2, 3, 18, 22],
  unit: 'kills',
  runs: 1000,
  needs: [],
  async run(order) {
    const server = await startPostgres();
    try {
      return await new KillRun(order, server).run();
    } finally {
      await server.stop();
    }
  },
};

/** A held resource: the installations that are open, and what was found on them. */
class KillRun {
  readonly #order: ProofOrder;
  readonly #server: TestServer;
  readonly #verdicts: Verdict[] = [];
  /** What was wrong when everything was looked at again; no kill of its own. */
  readonly #later: string[] = [];
  readonly #open = new Set<Installation>();
  readonly #queues: Record<Engine, Moment[]>;
  readonly #fromMs = elapsedMs();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(order: ProofOrder, server: TestServer) {
    this.#order = order;
    this.#server = server;
    const embedded = Math.floor(order.runs * embeddedShare);
    this.#queues = {
      embedded: momentsFor(embedded),
      postgres: momentsFor(order.runs - embedded),
    };
  }

  async run(): Promise<Outcome> {
    const { signal } = this.#order;
    signal.addEventListener('abort', () => void this.#closeAll());
    const all = (['embedded', 'postgres'] as const).flatMap((engine) =>
      Array.from({ length: lanes[engine] }, () => this.#killAlong(engine)),
    );
    // Stopped on request, the trials under way come to nothing: that is no trouble.
    await Promise.all(all).catch((error: Error) => {
      if (!signal.aborted) throw error;
    });
    await this.#closeAll();
    return this.#outcome();
  }

  /** What goes wrong with one installation is said, and the next one is tried: hours are dear. */
  async #killAlong(engine: Engine): Promise<void> {
    const { signal, say } = this.#order;
    for (let mishaps = 0; this.#queues[engine].length > 0 && mishaps < mishapsMax; ) {
      if (signal.aborted) return;
      await this.#killOnOne(engine).catch((error: Error) => {
        if (signal.aborted) return;
        mishaps += 1;
        say(`  ✖ ${engine}: ${error.message}`);
        this.#later.push(`${engine}: ${error.message}`);
      });
    }
  }

  async #killOnOne(engine: Engine): Promise<void> {
    const { signal } = this.#order;
    const { installation, trials } = await this.#inTurn(() => this.#prepare(engine));
    for (let isHealthy = true; isHealthy && !signal.aborted; ) {
      const moment = this.#queues[engine].shift();
      const verdict = moment
        ? await trials.run(moment).catch((error: Error) => mishap(engine, moment, error))
        : null;
      if (verdict && !signal.aborted) this.#tell(verdict);
      // After a breach a fresh installation: it is told once, not in every later trial.
      isHealthy = verdict !== null && sentencesOf(verdict).length === 0;
    }
    if (signal.aborted) return;
    await this.#lookBack(engine, trials);
    this.#open.delete(installation);
    await installation.close();
  }

  /** A first start is the most work of all: one at a time, or they slow each other's trials. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #prepare(engine: Engine) {
    this.#order.signal.throwIfAborted();
    const installation = await Installation.open({ engine, serverUrl: this.#server.url });
    this.#open.add(installation);
    const trials = new Trials(installation);
    await trials.prepare();
    return { installation, trials };
  }

  /** What was right after each kill must still be right after all of them. */
  async #lookBack(engine: Engine, trials: Trials): Promise<void> {
    const moment = 'all of them, looked at again at the end';
    const found = await trials.lookAtAll().catch((error: Error) => mishap(engine, moment, error));
    const sentences = sentencesOf({ ...found, engine, moment });
    for (const sentence of sentences) this.#order.say(`  ✖ ${sentence}`);
    this.#later.push(...sentences);
  }

  #tell(verdict: Verdict): void {
    this.#verdicts.push(verdict);
    const { engine, moment, acknowledged, resumedSeconds, finalSeconds } = verdict;
    const done = this.#verdicts.length;
    const minutesLeft =
      (((elapsedMs() - this.#fromMs) / done) * (this.#order.runs - done)) / 60_000;
    this.#order.say(
      `${done}/${this.#order.runs} ${engine}, ${moment}: ${acknowledged} acknowledged, resumed ` +
        `in ${resumedSeconds.toFixed(1)} s, all final in ${finalSeconds.toFixed(1)} s; about ` +
        `${Math.ceil(minutesLeft)} min left`,
    );
    for (const sentence of sentencesOf(verdict)) this.#order.say(`  ✖ ${sentence}`);
    this.#order.keep(this.#outcome());
  }

  #outcome(): Outcome {
    const order = (one: Verdict) => moments.indexOf(one.moment as Moment);
    const sorted = this.#verdicts.toSorted((a, b) => order(a) - order(b));
    const of = (engine: Engine) => sorted.filter((one) => one.engine === engine);
    const details = [
      tableOf('killed, embedded engine', of('embedded')),
      tableOf('killed, PostgreSQL', of('postgres')),
    ].join('\n');
    return {
      ...outcomeOf(sorted, {
        runs: sorted.length,
        violations: [...sorted.flatMap(sentencesOf), ...this.#later],
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
function momentsFor(count: number): Moment[] {
  const named = Math.min(count, Math.max(crashPoints.length, Math.floor(count / 2)));
  const namedBefore = (at: number) => Math.floor((at * named) / count);
  return Array.from({ length: count }, (_, at) => {
    const nth = namedBefore(at);
    if (namedBefore(at + 1) > nth) return crashPoints[nth % crashPoints.length]!;
    return (at - nth) % 3 === 2 ? whileStarting : randomMoment;
  });
}
