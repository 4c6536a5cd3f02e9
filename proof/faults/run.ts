/**
 * `npm run faults`: runs every fault test, one after the other; `npm run faults -- kills --runs 50`
 * those named, as often. Prints a table and exits with 1 on any violation. A full run is written to
 * docs/reliability/, and the page is generated again.
 */
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { monotonicMs, nowMs } from '../../server/clock.ts';
import { type FaultTest, type FaultTestResult, resultOf } from './fault-test.ts';
import { pageOf, tableOf } from './page.ts';
import { faultTests } from './registry.ts';
import { missingRequirements } from './requirements.ts';
import { machine, type PublishedResult, readResult, writePage, writeResult } from './results.ts';

// Hundreds of processes load the same modules; compiling them is half of the cost of a start.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'vidgen-compiled');

const log = (line: string) => void process.stdout.write(`${line}\n`);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'message', 'disconnect'] as const) {
  process.once(signal, () => stopped.abort());
}

const options = parseCommandLine();
const results: PublishedResult[] = [];
const skipped: string[] = [];
for (const faultTest of options.faultTests) {
  if (stopped.signal.aborted) break;
  const missing = missingRequirements(faultTest.requirements);
  if (missing.length > 0) skipped.push(`${faultTest.name}: ${missing.join('; ')}`);
  else results.push(await runTest(faultTest));
}
writePage(pageOf(faultTests.map(({ name }) => readResult(name)).filter((one) => one !== null)));

log(`\n${tableOf(results)}`);
for (const message of skipped) log(`Skipped: ${message}`);
const violations = results.flatMap(({ name, violations }) =>
  violations.map((what) => `✖ ${name}: ${what}`),
);
for (const violation of violations) log(violation);
log(`${violations.length} violations; docs/reliability.md shows the full runs`);
process.exit(violations.length > 0 || stopped.signal.aborted ? 1 : 0);

function parseCommandLine() {
  const { values, positionals } = parseArgs({
    options: { runs: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  const names = faultTests.map(({ name }) => name);
  const unknown = positionals.filter((positional) => !names.includes(positional));
  if (unknown.length > 0) {
    throw new Error(`unknown fault test ${unknown.join(', ')}; choose from ${names.join(', ')}`);
  }
  const chosen = faultTests.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const seed = parseInteger('seed', values.seed) ?? randomInt(2 ** 31);
  return { faultTests: chosen, runs: parseInteger('runs', values.runs), seed };
}

function parseInteger(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,9}$/.test(text)) return text ? Number(text) : undefined;
  throw new Error(`--${name} must be a whole number (got ${text})`);
}

async function runTest(faultTest: FaultTest): Promise<PublishedResult> {
  const { name, title, unit } = faultTest;
  const runs = options.runs ?? faultTest.runs;
  const fromMs = monotonicMs();
  log(`\n${name}: ${title} (${runs} ${unit}, --seed ${options.seed})`);
  const publishedOf = (testResult: FaultTestResult): PublishedResult => ({
    name,
    asked: runs,
    seed: options.seed,
    minutes: Math.round((monotonicMs() - fromMs) / 6_000) / 10,
    endedOn: new Date(nowMs()).toISOString().slice(0, 10),
    ...machine(),
    ...testResult,
  });
  // A shorter run never replaces a published result.
  const saveProgress = (testResult: FaultTestResult) => {
    if (runs >= faultTest.runs) writeResult(publishedOf(testResult));
  };
  const testResult = await faultTest
    .run({ runs, seed: options.seed, log, saveProgress, signal: stopped.signal })
    // A test that failed with an error has shown nothing.
    .catch((error: Error) => resultOf([], { violations: [error.stack ?? error.message] }));
  saveProgress(testResult);
  return publishedOf(testResult);
}
