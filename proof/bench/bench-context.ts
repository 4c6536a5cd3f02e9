/** What every section of the benchmarks is given, and what it returns. */
import type { Comparison } from './comparison.ts';
import type { DayResult } from './day.ts';
import type { Figure } from './memory.ts';
import type { RoundOptions } from './rounds.ts';

export type BenchOptions = RoundOptions & {
  readonly accounts: number;
  /** Creates per minute and key; 0 is no limit and no window. */
  readonly createLimit: number;
  /** API processes that share the port; undefined for one process without a group. */
  readonly processes: number | undefined;
  readonly growthTasks: number;
  /** Tasks that a worker polls while its memory is measured. */
  readonly inFlightTasks: number;
  /** Keeps the databases of the growth section there for the next run. */
  readonly growthFolder: string | undefined;
  /** Rounds of the section of steady load. */
  readonly dayHours: number;
  /** Where V8 writes processor profiles of the service. */
  readonly profileFolder: string | undefined;
};

export type BenchContext = {
  /** Deleted at the end. */
  readonly folder: string;
  readonly options: BenchOptions;
  log(line: string): void;
};

export type SectionResult = {
  readonly comparisons?: readonly Comparison[];
  readonly figures?: readonly Figure[];
  readonly day?: DayResult;
  /** Of rows and indexes in the growth section. */
  readonly bytesPerTask?: number;
  /** Markdown of a section with a format of its own. */
  readonly text?: string;
};
