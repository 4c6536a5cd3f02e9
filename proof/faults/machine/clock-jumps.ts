/**
 * The wall clock of a process jumps by hours or days, forward and back, under load; every process
 * has its own. On PostgreSQL the database keeps the true time, and nothing may end early. On the
 * embedded engine the database's clock jumps too, and nothing may be lost or stand still.
 */
import { startPostgres } from '../../kit/postgres.ts';
import type { Findings } from '../findings.ts';
import type { Engine } from '../installation.ts';
import { outcomeOf, type Proof, type ProofOrder } from '../proof.ts';
import { ClockBench } from './clock-bench.ts';

const hour = 3600;
const day = 24 * hour;
/** From the true time, one after the other: each is a jump from the one before. */
const offsets = [2 * hour, -2 * hour, 10 * day, -10 * day, 90, 45 * day, 0] as const;

export const clockJumps: Proof = {
  name: 'clock-jumps',
  title: 'the clock of a process jumps by hours and days, forward and back, under load',
  failures: [14],
  unit: 'jumps',
  runs: 28,
  needs: ['faketime'],
  async run(order) {
    const server = await startPostgres();
    try {
      const many = await jumpAlong('postgres', { order, serverUrl: server.url });
      const alone = await jumpAlong('embedded', { order });
      const found = [...many.found, ...alone.found];
      const outcome = outcomeOf(found, {
        runs: many.jumps + alone.jumps,
        notes: [
          `${many.jumps} jumps of two apis and two workers on PostgreSQL, each with a clock of ` +
            `its own; ${alone.jumps} of the one process on the embedded engine.`,
        ],
      });
      const violations = [...outcome.violations, ...many.sentences, ...alone.sentences];
      return { ...outcome, violations };
    } finally {
      await server.stop();
    }
  },
};

type Jumps = {
  readonly jumps: number;
  readonly found: readonly Findings[];
  readonly sentences: readonly string[];
};

/** Three of four jumps are on PostgreSQL. */
async function jumpAlong(
  engine: Engine,
  { order, serverUrl }: { readonly order: ProofOrder; readonly serverUrl?: string },
): Promise<Jumps> {
  const few = Math.floor(order.runs / 4);
  const jumpsMax = engine === 'embedded' ? few : order.runs - few;
  if (jumpsMax === 0 || order.signal.aborted) return { jumps: 0, found: [], sentences: [] };
  await using bench = await ClockBench.open({
    engine,
    ...(serverUrl === undefined ? {} : { serverUrl }),
  });
  const sentences: string[] = [];
  let jumps = 0;
  for (; jumps < jumpsMax && !order.signal.aborted; jumps++) {
    const jump = await bench.jump({ nth: jumps, offsetSeconds: offsets[jumps % offsets.length]! });
    order.say(`${engine}: ${jump.what}`);
    for (const sentence of jump.sentences) order.say(`  ✖ ${sentence}`);
    sentences.push(...jump.sentences.map((sentence) => `${engine}, ${jump.what}: ${sentence}`));
  }
  const end = await bench.end();
  return { jumps, found: [end.findings], sentences: [...sentences, ...end.sentences] };
}
