/**
 * Sets the wall clock of a process forward and back by hours or days under load; every process has
 * a clock of its own. The database keeps the true time, and nothing may end early.
 */
import { type FaultTest, resultOf, runRepeatedly } from '../fault-test.ts';
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
    await using fixture = await ClockFixture.open();
    const jumps = await runRepeatedly({ ...options, saveProgress: () => {} }, (nth) =>
      fixture.jump({ nth, offsetSeconds: offsets[nth % offsets.length]! }),
    );
    return {
      ...addResults(jumps, resultOf([await fixture.end()], { runs: 0 })),
      notes: ['Two APIs and two workers, each with a clock of its own.'],
    };
  },
};
