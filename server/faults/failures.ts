/**
 * What can go wrong, what must happen then, and what shows that it does: a proof of `npm run
 * faults` names the failures it brings about; tests of `npm test` are named here by their file.
 */
export type Failure = {
  readonly number: number;
  readonly failure: string;
  readonly expected: string;
  /** Test files of `npm test` that show it, from the root. */
  readonly tests: readonly string[];
};

const of = (
  number: number,
  failure: string,
  expected: string,
  ...tests: readonly string[]
): Failure => ({ number, failure, expected, tests });

export const failures: readonly Failure[] = [
  of(
    1,
    'kill -9 before a create is committed',
    'no task and no reservation; the client sees a reset',
    'server/faults/kills/kill.test.ts',
  ),
];
