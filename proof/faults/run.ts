/**
 * `npm run faults`: every proof, one after the other; `npm run faults -- kills --runs 50` those
 * named, as often. Ends with a table, and with exit code 1 when anything was lost, doubled or
 * broken. What was run in full, or is to be added to that (`--add`), is written to
 * docs/reliability/, and the page is made anew.
 */
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { monotonicMs, nowMs } from '../../server/clock.ts';
import type { FaultTest, FaultTestResult } from './fault-test.ts';
import { pageOf, tableOf } from './page.ts';
import { faultTests } from './registry.ts';
import { missingRequirements } from './requirements.ts';
import {
  machine,
  type PublishedResult,
  readResult,
  sumResults,
  writePage,
  writeResult,
} from './results.ts';

// The same modules are loaded by hundreds of processes: half of what starting one costs.
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
for (const message of skipped) log(`Skipped. ${message}`);
const violations = results.flatMap(({ name, violations }) =>
  violations.map((what) => `✖ ${name}: ${what}`),
);
for (const violation of violations) log(violation);
log(`${violations.length} violations; docs/reliability.md is made of what was run in full`);
process.exit(violations.length > 0 || stopped.signal.aborted ? 1 : 0);

function parseCommandLine() {
  const { values, positionals } = parseArgs({
    options: {
      runs: { type: 'string' },
      seed: { type: 'string' },
      add: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const unknown = positionals.filter(
    (positional) => !faultTests.some(({ name }) => name === positional),
  );
  if (unknown.length > 0) {
    const names = faultTests.map(({ name }) => name).join(', ');
    throw new Error(`there is no proof ${unknown.join(', ')}; there are ${names}`);
  }
  const chosen = faultTests.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const seed = parseInteger('seed', values.seed) ?? randomInt(2 ** 31);
  return { faultTests: chosen, runs: parseInteger('runs', values.runs), seed, isAdded: values.add };
}

function parseInteger(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,9}$/.test(text)) return text ? Number(text) : undefined;
  throw new Error(`--${name} must be a whole number (got ${text})`);
}

async function runTest(faultTest: FaultTest): Promise<PublishedResult> {
  const runs = options.runs ?? faultTest.runs;
  const fromMs = monotonicMs();
  log(
    `\n${faultTest.name}: ${faultTest.title} (${runs} ${faultTest.unit}, --seed ${options.seed})`,
  );
  const resultOf = (testResult: FaultTestResult): PublishedResult => ({
    name: faultTest.name,
    asked: runs,
    seed: options.seed,
    minutes: Math.round((monotonicMs() - fromMs) / 6_000) / 10,
    endedOn: new Date(nowMs()).toISOString().slice(0, 10),
    ...machine(),
    ...testResult,
  });
  const published = options.isAdded ? readResult(faultTest.name) : null;
  // A short run is for whoever works here: it does not take the place of a published one.
  const saveProgress = (testResult: FaultTestResult) => {
    const result = resultOf(testResult);
    if (published) writeResult(sumResults(published, result));
    else if (runs >= faultTest.runs) writeResult(result);
  };
  const testResult = await faultTest
    .run({ runs, seed: options.seed, log, saveProgress, signal: stopped.signal })
    .catch((error: Error) => errorResult(error));
  saveProgress(testResult);
  return resultOf(testResult);
}

/** A proof that could not be carried out has shown nothing. */
function errorResult(error: Error): FaultTestResult {
  const none = { runs: 0, acknowledged: 0, lost: 0, doubled: 0, unfinished: 0, broken: 0 };
  return { ...none, violations: [error.stack ?? error.message], notes: [] };
}
