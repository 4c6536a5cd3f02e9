/**
 * A fault test causes one kind of failure on purpose, as often as asked, and reports what it left
 * behind. `npm run faults` runs the fault tests; docs/reliability.md is generated from the results.
 */
import type { Requirement } from './requirements.ts';

export type FaultTest = {
  /** Selects the test on the command line and names its result file. */
  readonly name: string;
  /** The row of the result table: `the database crashes under load`. */
  readonly title: string;
  /** The numbers in `failures.ts` that the test covers. */
  readonly failures: readonly number[];
  /** What one run is: `kills`, `restarts`, `requests`. */
  readonly unit: string;
  /** The number of runs of a published result; `--runs` sets another one. */
  readonly runs: number;
  /** What the machine must have; without it the test is skipped with a message. */
  readonly requirements?: readonly Requirement[];
  run(options: FaultTestOptions): Promise<FaultTestResult>;
};

export type FaultTestOptions = {
  readonly runs: number;
  /** Seeds every random choice that does not depend on timing, so that a run can be repeated. */
  readonly seed: number;
  readonly log: (line: string) => void;
  /** Stores an intermediate result, so that an interrupted run of hours is not lost. */
  readonly saveProgress: (result: FaultTestResult) => void;
  /** Aborted when the run is stopped early; what was found until then is the result. */
  readonly signal: AbortSignal;
};

export type FaultTestResult = {
  /** The number of runs done. */
  readonly runs: number;
  /** Creates that the service answered with 200 during the test. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly unfinished: number;
  readonly broken: number;
  /** One message per violation, those counted above included. */
  readonly violations: readonly string[];
  /** Measured values, one note each. */
  readonly notes: readonly string[];
  /** Further tables in Markdown. */
  readonly details?: string;
};

/** What one inspection of the service found; each entry of a list is a message. */
export type Findings = {
  /** Where the faults were seen; prefixed to every violation. */
  readonly label?: string;
  readonly acknowledged: number;
  /** Acknowledged tasks that the service does not know. */
  readonly lost: readonly string[];
  /** Tasks that were generated, and so paid for, twice at the provider. */
  readonly doubled: readonly string[];
  readonly unfinished: readonly string[];
  /** Any other violation: invariants, balances, webhooks, results. */
  readonly broken: readonly string[];
};

export const noFindings: Findings = {
  acknowledged: 0,
  lost: [],
  doubled: [],
  unfinished: [],
  broken: [],
};

/** The violations of `findings` as messages. Durations are never a violation. */
export function findingViolations(findings: Findings): string[] {
  const { label, lost, doubled, unfinished, broken } = findings;
  const messages = [
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `generated twice: ${what}`),
    ...unfinished.map((what) => `not final: ${what}`),
    ...broken,
  ];
  return label === undefined ? messages : messages.map((message) => `${label}: ${message}`);
}

/** Sums several inspections; `violations` are added to those of the findings. */
export function resultOf(
  found: readonly Findings[],
  rest: Partial<Pick<FaultTestResult, 'runs' | 'violations' | 'notes' | 'details'>> = {},
): FaultTestResult {
  const count = (list: 'lost' | 'doubled' | 'unfinished' | 'broken') =>
    found.reduce((total, one) => total + one[list].length, 0);
  return {
    runs: found.length,
    acknowledged: found.reduce((total, one) => total + one.acknowledged, 0),
    lost: count('lost'),
    doubled: count('doubled'),
    unfinished: count('unfinished'),
    broken: count('broken'),
    notes: [],
    ...rest,
    violations: [...found.flatMap(findingViolations), ...(rest.violations ?? [])],
  };
}

/**
 * Calls `runOnce` until enough runs are done or the test is stopped. Logs and saves the result
 * after each run.
 */
export async function runRepeatedly<Found extends Findings>(
  { runs, log, saveProgress, signal }: FaultTestOptions,
  runOnce: (nth: number) => Promise<Found>,
  report: (
    found: readonly Found[],
  ) => Pick<Partial<FaultTestResult>, 'notes' | 'details'> = () => ({}),
): Promise<FaultTestResult> {
  const found: Found[] = [];
  while (found.length < runs && !signal.aborted) {
    const findings = await runOnce(found.length);
    // A run that was interrupted would report violations that are not the service's.
    if (signal.aborted) break;
    found.push(findings);
    const label = findings.label === undefined ? '' : `${findings.label}: `;
    log(`${found.length} of ${runs}: ${label}${findings.acknowledged} tasks acknowledged`);
    for (const violation of findingViolations(findings)) log(`  ✖ ${violation}`);
    saveProgress(resultOf(found, report(found)));
  }
  return resultOf(found, report(found));
}
