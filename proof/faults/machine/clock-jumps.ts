/**
 * The wall clock of a process jumps by hours or days, forward and back, under load; every process
 * has its own. On PostgreSQL the database keeps the true time, and nothing may end early. On the
 * embedded engine the database's clock jumps too, and nothing may be lost or stand still.
 */
import { startPostgres } from '../../kit/postgres.ts';
import { combineFindings, type FaultTest, type FaultTestOptions } from '../fault-test.ts';
import type { Findings } from '../findings.ts';
import type { Engine } from '../installation.ts';
import { ClockFixture } from './clock-fixture.ts';

const hour = 3600;
const day = 24 * hour;
/** From the true time, one after the other: each is a jump from the one before. */
const offsets = [2 * hour, -2 * hour, 10 * day, -10 * day, 90, 45 * day, 0] as const;

export const clockJumps: FaultTest = {
  name: 'clock-jumps',
  title: 'the clock of a process jumps by hours and days, forward and back, under load',
  failures: [14],
  unit: 'jumps',
  runs: 28,
  requirements: ['faketime'],
  async run(options) {
    const server = await startPostgres();
    try {
      const many = await jumpRepeatedly('postgres', { options, serverUrl: server.url });
      const alone = await jumpRepeatedly('embedded', { options });
      const found = [...many.found, ...alone.found];
      const result = combineFindings(found, {
        runs: many.jumps + alone.jumps,
        notes: [
          `${many.jumps} jumps of two apis and two workers on PostgreSQL, each with a clock of ` +
            `its own; ${alone.jumps} of the one process on the embedded engine.`,
        ],
      });
      const violations = [...result.violations, ...many.violations, ...alone.violations];
      return { ...result, violations };
    } finally {
      await server.stop();
    }
  },
};

type Jumps = {
  readonly jumps: number;
  readonly found: readonly Findings[];
  readonly violations: readonly string[];
};

/** Three of four jumps are on PostgreSQL. */
async function jumpRepeatedly(
  engine: Engine,
  { options, serverUrl }: { readonly options: FaultTestOptions; readonly serverUrl?: string },
): Promise<Jumps> {
  const few = Math.floor(options.runs / 4);
  const jumpsMax = engine === 'embedded' ? few : options.runs - few;
  if (jumpsMax === 0 || options.signal.aborted) return { jumps: 0, found: [], violations: [] };
  await using fixture = await ClockFixture.open({
    engine,
    ...(serverUrl === undefined ? {} : { serverUrl }),
  });
  const violations: string[] = [];
  let jumps = 0;
  for (; jumps < jumpsMax && !options.signal.aborted; jumps++) {
    const jump = await fixture.jump({
      nth: jumps,
      offsetSeconds: offsets[jumps % offsets.length]!,
    });
    options.log(`${engine}: ${jump.what}`);
    for (const violation of jump.violations) options.log(`  ✖ ${violation}`);
    violations.push(...jump.violations.map((violation) => `${engine}, ${jump.what}: ${violation}`));
  }
  const end = await fixture.end();
  return { jumps, found: [end.findings], violations: [...violations, ...end.violations] };
}
