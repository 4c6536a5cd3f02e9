/**
 * Runs the money model against real processes: customers create, cancel, top up and change keys
 * over HTTP while the process is killed at a drawn crash point and started again, on both engines.
 */
import fc from 'fast-check';
import { crashPoints } from '../../../server/crash-point.ts';
import type { TestEngine } from '../../kit/scratch-database.ts';
import {
  type FaultTest,
  type FaultTestOptions,
  type FaultTestResult,
  type Findings,
  findingViolations,
  noFindings,
  resultOf,
} from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { Trials } from '../kills/trial.ts';
import { addResults } from '../results.ts';
import { ModelCustomers } from './customers.ts';

/** Results live for a day, so that nothing expires here. */
const points = crashPoints.filter((point) => !point.startsWith('expire.'));

export const moneyCrashes: FaultTest = {
  name: 'money-crashes',
  title: 'a process is killed while its customers spend, and their balances are the model’s',
  failures: [1, 2, 3, 20],
  unit: 'kills',
  runs: 60,
  async run(options) {
    const half = Math.floor(options.runs / 2);
    const other = { ...options, runs: options.runs - half, seed: options.seed + 1_000_000 };
    const [embedded, postgres] = await Promise.all([
      killRepeatedly('embedded', { ...options, runs: half }),
      killRepeatedly('postgres', other),
    ]);
    return addResults(embedded, postgres);
  },
};

async function killRepeatedly(
  engine: TestEngine,
  { runs, seed, log, signal }: FaultTestOptions,
): Promise<FaultTestResult> {
  const found: Findings[] = [];
  if (runs === 0) return resultOf(found);
  await using installation = await Installation.open({ engine });
  await using customers = new ModelCustomers(installation, seed);
  const trials = new Trials(installation, { cutsLeases: true, load: customers });
  const drawn = fc.sample(fc.constantFrom(...points), { seed, numRuns: runs });
  for (const point of drawn) {
    const label = `${engine}, ${point}`;
    const failed = (error: Error): Findings => ({ ...noFindings, label, broken: [error.message] });
    const findings = await trials.run(point).catch(failed);
    if (signal.aborted) break;
    found.push(findings);
    const violations = findingViolations(findings);
    log(`${found.length} of ${runs}: ${label}: ${violations.join('; ') || 'as the model says'}`);
    // After a violation the model and the service stay different.
    if (violations.length > 0) break;
  }
  const tasks = customers.money.tasks.size;
  return resultOf(found, { notes: [`${engine}: ${tasks} tasks, seed ${seed}.`] });
}
