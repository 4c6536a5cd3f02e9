/**
 * Sets the wall clock of a process forward and back by hours or days under load; every process has
 * a clock of its own. The database keeps the true time, and nothing may end early.
 * Thorough: a sample of a long fault test.
 */
import { faultTest, resultOf, runRepeatedly } from '../fault-test.ts';
import { ClockFixture } from './clock-fixture.ts';

const hour = 3600;
const day = 24 * hour;
/** Seconds from the true time, one after the other. */
const offsets = [45 * day, 2 * hour, -2 * hour, 10 * day, -10 * day, 90, 0] as const;

faultTest('the clock of a process jumps by hours and days, forward and back, under load', {
  sample: 1,
  requirements: ['faketime'],
  async run(options) {
    await using fixture = await ClockFixture.open();
    const { runs, violations } = await runRepeatedly(options, (nth) =>
      fixture.jump({ nth, offsetSeconds: offsets[nth % offsets.length]! }),
    );
    return resultOf([await fixture.end()], { runs, violations });
  },
});
