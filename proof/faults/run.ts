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
import { elapsedMs, nowMs } from '../../server/clock.ts';
import { pageOf, tableOf } from './page.ts';
import { lacking } from './platform.ts';
import type { Outcome, Proof } from './proof.ts';
import { proofs } from './proofs.ts';
import { machine, type Result, readResult, sumOf, writePage, writeResult } from './results.ts';

// The same modules are loaded by hundreds of processes: half of what starting one costs.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'vidgen-compiled');

const say = (line: string) => void process.stdout.write(`${line}\n`);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'message', 'disconnect'] as const) {
  process.once(signal, () => stopped.abort());
}

const asked = askedFor();
const results: Result[] = [];
const skipped: string[] = [];
for (const proof of asked.proofs) {
  if (stopped.signal.aborted) break;
  const lacks = lacking(proof.needs);
  if (lacks.length > 0) skipped.push(`${proof.name}: ${lacks.join('; ')}`);
  else results.push(await carryOut(proof));
}
writePage(pageOf(proofs.map(({ name }) => readResult(name)).filter((one) => one !== null)));

say(`\n${tableOf(results)}`);
for (const sentence of skipped) say(`Skipped. ${sentence}`);
const violations = results.flatMap(({ name, violations }) =>
  violations.map((what) => `✖ ${name}: ${what}`),
);
for (const violation of violations) say(violation);
say(`${violations.length} violations; docs/reliability.md is made of what was run in full`);
process.exit(violations.length > 0 || stopped.signal.aborted ? 1 : 0);

function askedFor() {
  const { values, positionals } = parseArgs({
    options: {
      runs: { type: 'string' },
      seed: { type: 'string' },
      add: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const unknown = positionals.filter((word) => !proofs.some(({ name }) => name === word));
  if (unknown.length > 0) {
    const names = proofs.map(({ name }) => name).join(', ');
    throw new Error(`there is no proof ${unknown.join(', ')}; there are ${names}`);
  }
  const chosen = proofs.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const seed = whole('seed', values.seed) ?? randomInt(2 ** 31);
  return { proofs: chosen, runs: whole('runs', values.runs), seed, isAdded: values.add };
}

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,9}$/.test(text)) return text ? Number(text) : undefined;
  throw new Error(`--${name} must be a whole number (got ${text})`);
}

async function carryOut(proof: Proof): Promise<Result> {
  const runs = asked.runs ?? proof.runs;
  const fromMs = elapsedMs();
  say(`\n${proof.name}: ${proof.title} (${runs} ${proof.unit}, --seed ${asked.seed})`);
  const resultOf = (outcome: Outcome): Result => ({
    name: proof.name,
    asked: runs,
    seed: asked.seed,
    minutes: Math.round((elapsedMs() - fromMs) / 6_000) / 10,
    endedOn: new Date(nowMs()).toISOString().slice(0, 10),
    ...machine(),
    ...outcome,
  });
  const published = asked.isAdded ? readResult(proof.name) : null;
  // A short run is for whoever works here: it does not take the place of a published one.
  const keep = (outcome: Outcome) => {
    const result = resultOf(outcome);
    if (published) writeResult(sumOf(published, result));
    else if (runs >= proof.runs) writeResult(result);
  };
  const outcome = await proof
    .run({ runs, seed: asked.seed, say, keep, signal: stopped.signal })
    .catch((error: Error) => mishap(error));
  keep(outcome);
  return resultOf(outcome);
}

/** A proof that could not be carried out has shown nothing. */
function mishap(error: Error): Outcome {
  const none = { runs: 0, acknowledged: 0, lost: 0, doubled: 0, unfinished: 0, broken: 0 };
  return { ...none, violations: [error.stack ?? error.message], notes: [] };
}
