/**
 * A proof: a failure brought about on purpose, as often as asked for, and what it left behind.
 * `npm run faults` runs them, and docs/reliability.md is made of what they found.
 */
import type { Findings } from './findings.ts';
import type { Requirement } from './requirements.ts';

export type FaultTest = {
  /** Chooses it on the command line, and names the file of its result. */
  readonly name: string;
  /** What is done, as a line of the table: `the database crashes under load`. */
  readonly title: string;
  /** The numbers of `failures.ts` that it shows. */
  readonly failures: readonly number[];
  /** What one run is: `kills`, `restarts`, `requests`, `addresses`. */
  readonly unit: string;
  /** How many are enough to publish; `npm run faults -- --runs 5` asks for another number. */
  readonly runs: number;
  /** What the machine must have for it. Where it has not, the proof is skipped, and says so. */
  readonly requirements: readonly Requirement[];
  run(options: FaultTestOptions): Promise<FaultTestResult>;
};

export type FaultTestOptions = {
  readonly runs: number;
  /** Chance comes from here where it can, so that a run can be repeated. */
  readonly seed: number;
  readonly log: (line: string) => void;
  /** What was found until now: told now and then, an hour is not lost with the machine. */
  readonly saveProgress: (result: FaultTestResult) => void;
  /** Aborted when a person has had enough: what was found until then is the outcome. */
  readonly signal: AbortSignal;
};

export type FaultTestResult = {
  /** How many it came to. */
  readonly runs: number;
  /** Creates that the service said yes to meanwhile. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly unfinished: number;
  readonly broken: number;
  /** Every breach as a sentence: whatever is not zero above, and whatever else must not be. */
  readonly violations: readonly string[];
  /** What was measured on the way, as sentences. */
  readonly notes: readonly string[];
  /** More to look at, as Markdown. */
  readonly details?: string;
};

/** What several looks at the service found, in one. */
export function combineFindings(
  found: readonly Findings[],
  rest: Pick<FaultTestResult, 'runs'> & Partial<Pick<FaultTestResult, 'violations' | 'notes'>>,
): FaultTestResult {
  const sum = (count: (one: Findings) => number) =>
    found.reduce((total, one) => total + count(one), 0);
  return {
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost: sum(({ lost }) => lost.length),
    doubled: sum(({ doubled }) => doubled.length),
    unfinished: sum(({ unfinished }) => unfinished.length),
    broken: sum(({ broken }) => broken.length),
    violations: found.flatMap(findingViolations),
    notes: [],
    ...rest,
  };
}

/** Every sentence about something that must not be. Time is not looked at: machines are slow. */
export function findingViolations({ lost, doubled, unfinished, broken }: Findings): string[] {
  return [
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `generated twice: ${what}`),
    ...unfinished.map((what) => `not final: ${what}`),
    ...broken,
  ];
}
