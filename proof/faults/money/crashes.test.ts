/**
 * Runs the money model against real processes: customers create, cancel, top up and change keys
 * over HTTP while the process is killed at a drawn crash point and started again.
 * Thorough: a sample of a long fault test.
 */
import fc from 'fast-check';
import { crashPoints } from '../../../server/process/crash-point.ts';
import {
  type Findings,
  faultTest,
  findingViolations,
  noFindings,
  resultOf,
} from '../fault-test.ts';
import { Installation } from '../installation.ts';
import { Trials } from '../kills/trial.ts';
import { ModelCustomers } from './customers.ts';

/** Results live for a day, so that nothing expires here. */
const points = crashPoints.filter((point) => !point.startsWith('expire.'));

faultTest('a process is killed while its customers spend, and their balances are the model’s', {
  sample: 3,
  async run({ runs, seed, log, signal }) {
    const found: Findings[] = [];
    await using installation = await Installation.open();
    await using customers = new ModelCustomers(installation, seed);
    const trials = new Trials(installation, { cutsLeases: true, load: customers });
    const drawn = fc.sample(fc.constantFrom(...points), { seed, numRuns: runs });
    for (const point of drawn) {
      const failed = ({ message }: Error) => ({ ...noFindings, label: point, broken: [message] });
      const findings = await trials.run(point).catch(failed);
      if (signal.aborted) break;
      found.push(findings);
      const violations = findingViolations(findings);
      log(`${found.length} of ${runs}: ${point}: ${violations.join('; ') || 'as the model says'}`);
      // After a violation the model and the service stay different.
      if (violations.length > 0) break;
    }
    return resultOf(found, { notes: [`${customers.money.tasks.size} tasks.`] });
  },
});
