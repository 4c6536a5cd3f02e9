/**
 * `npm run soak -- --minutes 30`: steady load with kills and crashes, and the result with charts in
 * `docs/soak.md`. Exits with 1 on any violation, growth without end included.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Cluster } from '../database/cluster.ts';
import { chartsFolder, pageOf } from './page.ts';
import { plotsOf } from './plots.ts';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    /** Another folder than `docs`, for a run that is not published. */
    into: { type: 'string', default: join(import.meta.dirname, '../../../docs') },
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
for (const violation of result.violations) log(`  ✖ ${violation}`);
log(`${result.violations.length} violations`);
// A run that was stopped early is not published.
if (stopped.signal.aborted) process.exit(130);
await publish();
process.exit(result.violations.length > 0 ? 1 : 0);

async function publish(): Promise<void> {
  const plots = plotsOf(result);
  const folder = join(values.into, chartsFolder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { file, svg } of plots) await writeFile(join(folder, file), svg);
  const page = pageOf({ result, plots, minutes, perSecond, seed });
  const path = `${folder}.md`;
  await writeFile(path, page);
  log(`Written to ${path}`);
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1_000_000) return value;
  throw new Error(`--${name} must be a number above 0 (got ${text})`);
}
