/** What every section of the benchmarks is given. */
import type { RoundOptions } from './rounds.ts';

export type BenchOptions = RoundOptions & {
  readonly accounts: number;
  readonly growthTasks: number;
};

export type BenchContext = {
  readonly folder: string;
  readonly options: BenchOptions;
  log(line: string): void;
};
