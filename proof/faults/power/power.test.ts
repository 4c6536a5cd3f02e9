/**
 * Cuts the power under PostgreSQL and under the whole service: an ext4 file system is shut down,
 * and what was not on its disk yet is lost. What was acknowledged must be there afterwards.
 * Thorough: needs root and loop devices, and takes a minute, most of it for starts after cuts.
 */
import { randomFrom, seedFrom } from '../../../renderer/random.ts';
import { startPostgres } from '../../kit/postgres.ts';
import {
  type FaultTestOptions,
  type Findings,
  faultTest,
  findingViolations,
  noFindings,
  runRepeatedly,
} from '../fault-test.ts';
import { DatabaseTarget } from './database-target.ts';
import { ServiceTarget } from './service-target.ts';
import {
  type CutTarget,
  type CutTime,
  CutTrials,
  firstCutTimes,
  laterCutTimes,
  type StartTimes,
} from './trial.ts';

const cutsPerDisk = 1 + laterCutTimes.length;
/** What the disks are used for, in turn: of 100 cuts 60 are under PostgreSQL alone. */
const kinds = ['database', 'service', 'database', 'service', 'database'] as const;

/** Until a start was measured. */
const startMs = {
  database: { first: 2500, later: 1000 },
  service: { first: 5000, later: 2500 },
} satisfies Record<(typeof kinds)[number], StartTimes>;

/** Cuts under a PostgreSQL with a planted fault, of which one must lose something. */
const plantedCutsMax = 4;

faultTest('the power is cut under load, during checkpoints and during starts', {
  // All kinds of cuts under PostgreSQL, and some under the service.
  sample: cutsPerDisk + 2,
  requirements: ['loop devices'],
  async run(options) {
    const server = await startPostgres();
    const run = new PowerRun(options, server.url);
    try {
      const result = await runRepeatedly(options, (nth) => run.cut(nth));
      const isBlind = !options.signal.aborted && !(await losesWithoutFsync(options));
      const blind = isBlind ? ['without fsync nothing was lost, so the cuts prove nothing'] : [];
      return { ...result, violations: [...result.violations, ...blind] };
    } finally {
      await run.close();
      await server.stop();
    }
  },
});

/** Cuts the power under a PostgreSQL that does not sync, until commits are lost. */
async function losesWithoutFsync({
  seed,
  signal,
}: Pick<FaultTestOptions, 'seed' | 'signal'>): Promise<boolean> {
  await using target = await DatabaseTarget.open({ hasFsync: false });
  const trials = new CutTrials(target, { ...startMs.database });
  for (let cuts = 1; cuts <= plantedCutsMax && !signal.aborted; cuts++) {
    const random = randomFrom(seedFrom(seed, 'without fsync', cuts));
    if (findingViolations(await trials.run('under load', random)).length > 0) return true;
  }
  return false;
}

/** A held resource: the disk of the current cuts. */
class PowerRun {
  readonly #options: FaultTestOptions;
  readonly #serverUrl: string;
  #current: { readonly target: CutTarget; readonly trials: CutTrials } | undefined;
  /** Cuts on this disk. */
  #cuts = 0;
  #disks = 0;
  readonly #startMs = structuredClone(startMs);

  constructor(options: FaultTestOptions, serverUrl: string) {
    this.#options = options;
    this.#serverUrl = serverUrl;
    options.signal.addEventListener('abort', () => void this.close());
  }

  /** The next cut, on a new disk after a few cuts and after a violation. */
  async cut(nth: number): Promise<Findings> {
    if (this.#cuts === cutsPerDisk) await this.close();
    const time = this.#cutTime();
    this.#current ??= await this.#open(time);
    const { target, trials } = this.#current;
    this.#cuts += 1;
    const random = randomFrom(seedFrom(this.#options.seed, nth));
    const result = await trials
      .run(time, random)
      // A cut whose inspection failed with an error counts as a violation.
      .catch(({ message }: Error) => ({
        ...noFindings,
        ...{ label: `${target.name}, ${time}`, broken: [message] },
      }));
    // Every later cut would report the same violation.
    if (findingViolations(result).length > 0) await this.close();
    return result;
  }

  async close(): Promise<void> {
    const current = this.#current;
    [this.#current, this.#cuts] = [undefined, 0];
    await current?.target[Symbol.asyncDispose]();
  }

  #cutTime(): CutTime {
    if (this.#cuts > 0) return laterCutTimes[this.#cuts - 1]!;
    return firstCutTimes[this.#disks % firstCutTimes.length]!;
  }

  async #open(time: CutTime) {
    const kind = kinds[this.#disks++ % kinds.length]!;
    const hasToken = time !== 'during the first start';
    const target =
      kind === 'database'
        ? await DatabaseTarget.open()
        : await ServiceTarget.open({ serverUrl: this.#serverUrl, hasToken });
    return { target, trials: new CutTrials(target, this.#startMs[kind]) };
  }
}
