/**
 * Sets the wall clock of a process forward and back by hours or days under load; every process has
 * a clock of its own. On PostgreSQL the database keeps the true time, and nothing may end early. On
 * the embedded engine the clock of the database jumps, too, and nothing may be lost or stand still.
 */
import type { TestEngine } from '../../kit/scratch-database.ts';
import {
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
  resultOf,
  runRepeatedly,
} from '../fault-test.ts';
import { addResults } from '../results.ts';
import { ClockFixture } from './clock-fixture.ts';

const hour = 3600;
const day = 24 * hour;
/** Seconds from the true time, one after the other. */
const offsets = [2 * hour, -2 * hour, 10 * day, -10 * day, 90, 45 * day, 0] as const;

export const clockJumps: FaultTest = {
  name: 'clock-jumps',
  title: 'the clock of a process jumps by hours and days, forward and back, under load',
  failures: [14],
  unit: 'jumps',
  runs: 28,
  requirements: ['faketime'],
  async run(options) {
    const embeddedRuns = Math.floor(options.runs / 4);
    const postgresRuns = options.runs - embeddedRuns;
    const postgres = await jumpRepeatedly('postgres', { ...options, runs: postgresRuns });
    const embedded = await jumpRepeatedly('embedded', { ...options, runs: embeddedRuns });
    return {
      ...addResults(postgres, embedded),
      notes: [
        `${postgres.runs} jumps of two apis and two workers on PostgreSQL, each with a clock of ` +
          `its own; ${embedded.runs} of the one process on the embedded engine.`,
      ],
    };
  },
};

async function jumpRepeatedly(
  engine: TestEngine,
  options: FaultTestOptions,
): Promise<FaultTestResult> {
  if (options.runs === 0 || options.signal.aborted) return resultOf([]);
  await using fixture = await ClockFixture.open({ engine });
  const jumps = await runRepeatedly({ ...options, saveProgress: () => {} }, (nth) =>
    fixture.jump({ nth, offsetSeconds: offsets[nth % offsets.length]! }),
  );
  return addResults(jumps, resultOf([await fixture.end()], { runs: 0 }));
}
