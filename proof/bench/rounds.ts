/**
 * Measures contenders in rounds, each once per round, so that a noisy machine disturbs all of them
 * alike. Figures are medians over the rounds, ratios are medians of the ratios within a round.
 */
import { monotonicMs, sleep } from '../../server/process/clock.ts';
import { processorMs } from './processor-time.ts';

/** What one run did; `requests` is the unit of work that costs are divided by. */
export type Work = {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
};

export type Contender = {
  readonly name: string;
  /** Processes whose time, with that of their descendants, is the service's. */
  readonly service: readonly number[];
  /** The PostgreSQL server, if there is one. */
  readonly database: readonly number[];
  /** Position in the write-ahead log, in bytes. */
  readonly walBytes?: () => Promise<number>;
  prepare?(seconds: number): Promise<void>;
  run(seconds: number): Promise<Work>;
  finish?(): Promise<void>;
};

export type Sample = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of processor time for each request. */
  readonly serviceMicros: number;
  readonly databaseMicros: number;
  readonly totalMicros: number;
  readonly walBytes: number;
};

export type Measured = Sample & { readonly name: string; readonly rounds: readonly Sample[] };

export type RoundOptions = {
  readonly rounds: number;
  readonly seconds: number;
  /** Seconds before the first round that are not counted. */
  readonly warmUpSeconds: number;
};

export async function measureRounds(
  contenders: readonly Contender[],
  { rounds, seconds, warmUpSeconds }: RoundOptions,
  log: (line: string) => void = () => {},
): Promise<Measured[]> {
  for (const contender of warmUpSeconds > 0 ? contenders : []) {
    await contender.prepare?.(warmUpSeconds);
    await contender.run(warmUpSeconds);
    await contender.finish?.();
  }
  const samples = contenders.map((): Sample[] => []);
  for (let round = 0; round < rounds; round++) {
    // In turns, since the first in a round may find the machine in another state than the last.
    const order = round % 2 === 0 ? [...contenders.entries()] : [...contenders.entries()].reverse();
    for (const [at, contender] of order) {
      const sample = await measureOnce(contender, seconds);
      samples[at]!.push(sample);
      log(`${round + 1}/${rounds} ${describe(contender.name, sample)}`);
    }
  }
  return contenders.map(({ name }, at) => ({ name, ...medianSample(samples[at]!) }));
}

async function measureOnce(contender: Contender, seconds: number): Promise<Sample> {
  const { service, database, walBytes } = contender;
  const read = async () => ({
    service: processorMs(...service),
    database: processorMs(...database),
    wal: (await walBytes?.()) ?? 0,
  });
  await contender.prepare?.(seconds);
  const before = await read();
  const work = await contender.run(seconds);
  const after = await read();
  await contender.finish?.();
  const perRequest = (kind: 'service' | 'database') =>
    ((after[kind] - before[kind]) * 1000) / work.requests;
  return {
    perSecond: work.requests / work.seconds,
    p50Ms: work.p50Ms ?? 0,
    p99Ms: work.p99Ms ?? 0,
    serviceMicros: perRequest('service'),
    databaseMicros: perRequest('database'),
    totalMicros: perRequest('service') + perRequest('database'),
    walBytes: (after.wal - before.wal) / work.requests,
  };
}

function medianSample(rounds: readonly Sample[]): Sample & { rounds: readonly Sample[] } {
  const fields = Object.keys(rounds[0] ?? {}) as (keyof Sample)[];
  const medians = fields.map((field) => [field, median(rounds.map((sample) => sample[field]))]);
  return { ...(Object.fromEntries(medians) as Sample), rounds };
}

/** The median of a field of `one` divided by that of `other` in the same round. */
export function ratioOf(one: Measured, other: Measured, field: keyof Sample): number {
  return median(one.rounds.map((sample, at) => sample[field] / other.rounds[at]![field]));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const describe = (name: string, { perSecond, serviceMicros, databaseMicros, p99Ms }: Sample) =>
  `${name}: ${perSecond.toFixed(0)}/s, service ${serviceMicros.toFixed(0)} µs, ` +
  `database ${databaseMicros.toFixed(0)} µs, p99 ${p99Ms.toFixed(1)} ms`;

const waitMsMax = 300_000;
const pollMs = 20;

/** Throws with `what` if it has not come true after five minutes. */
export async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const untilMs = monotonicMs() + waitMsMax;
  while (!(await isSo())) {
    if (monotonicMs() > untilMs) throw new Error(`waited too long for ${what}`);
    await sleep(pollMs);
  }
}
