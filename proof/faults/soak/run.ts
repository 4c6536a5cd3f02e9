/**
 * `npm run soak -- --minutes 30`: steady load with kills and crashes. Prints the tables of
 * `docs/soak.md`. Exits with 1 on any violation, growth without end included.
 */
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const log = (line: string) => void process.stdout.write(`${line}\n`);
const minutes = Number(values.minutes);
const perSecond = Number(values.rate);
const seed = Number(values.seed);
log(`${minutes} minutes at ${perSecond} tasks per second, seed ${seed}`);
const result = await soak({ ms: minutes * 60_000, perSecond, seed, log });
const { lost, doubled, unfinished, broken } = result.findings;
const ends = { lost, 'generated twice': doubled, 'not final': unfinished, wrong: broken };
log('\n| | |\n|---|--:|');
for (const [what, count] of Object.entries(result.counts)) log(`| ${what} | ${count} |`);
for (const [what, group] of Object.entries(ends)) log(`| ${what} | ${group.length} |`);
log('\n| series | second fifth | last fifth | may rise by | |\n|---|--:|--:|--:|---|');
for (const { what, before, after, allowed, grows } of result.growthChecks) {
  const cells = [before, after, allowed].map((value) => Math.round(value).toLocaleString('en'));
  log(`| ${what} | ${cells.join(' | ')} | ${grows ? 'grows' : 'flat'} |`);
}
for (const violation of result.violations) log(`  ✖ ${violation}`);
log(`${result.violations.length} violations`);
process.exit(result.violations.length > 0 ? 1 : 0);
