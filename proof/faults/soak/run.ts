/**
 * `npm run soak -- --minutes 30`: steady load with kills and crashes. Prints the tables of
 * `docs/soak.md`. Exits with 1 on any violation, growth without end included.
 */
import { parseArgs } from 'node:util';
import { Cluster } from '../database/cluster.ts';
import { formatValue } from './growth-checks.ts';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const log = (line: string) => void process.stdout.write(`${line}\n`);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'message', 'disconnect'] as const) {
  process.once(signal, () => stopped.abort());
}

const [minutes, perSecond, seed] = [
  numberOf('minutes', values.minutes),
  numberOf('rate', values.rate),
  numberOf('seed', values.seed),
];
log(`${minutes} minutes at ${perSecond} tasks per second, seed ${seed}; Ctrl-C stops it early`);
const cluster = await Cluster.make();
const result = await soak({
  cluster,
  processes: 2,
  ms: minutes * 60_000,
  perSecond,
  seed,
  log,
  signal: stopped.signal,
}).finally(() => cluster.close());
const { lost, doubled, unfinished, broken } = result.findings;
const ends = { lost, 'generated twice': doubled, 'not final': unfinished, wrong: broken };
log('\n| | |\n|---|--:|');
for (const [what, count] of Object.entries(result.counts)) log(`| ${what} | ${count} |`);
for (const [what, group] of Object.entries(ends)) log(`| ${what} | ${group.length} |`);
log('\n| series | second fifth | last fifth | may rise by | verdict |\n|---|--:|--:|--:|---|');
for (const { what, unit, before, after, allowed, verdict } of result.growthChecks) {
  const cells = [before, after, allowed].map((value) => formatValue(value, unit));
  log(`| ${what} | ${cells.join(' | ')} | ${verdict} |`);
}
for (const violation of result.violations) log(`  ✖ ${violation}`);
log(`${result.violations.length} violations`);
process.exit(stopped.signal.aborted ? 130 : result.violations.length > 0 ? 1 : 0);

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1_000_000) return value;
  throw new Error(`--${name} must be a number above 0 (got ${text})`);
}
