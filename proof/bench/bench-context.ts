/** What every section of the benchmarks is given. */
import type { RoundOptions } from './rounds.ts';

export type BenchOptions = RoundOptions & {
  readonly accounts: number;
  /** Creates per minute and key; 0 is no limit and no window. */
  readonly createLimit: number;
  /** API processes that share the port; undefined for one process without a group. */
  readonly processes: number | undefined;
  readonly growthTasks: number;
  /** Where V8 writes processor profiles of the service. */
  readonly profileFolder: string | undefined;
};

export type BenchContext = {
  /** Deleted at the end. */
  readonly folder: string;
  readonly options: BenchOptions;
  log(line: string): void;
};
