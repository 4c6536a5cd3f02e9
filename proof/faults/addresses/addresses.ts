/**
 * The proof of the guard: spellings of hosts in a network where every address of the internet
 * answers. None may reach an address that is not public, and the good ones must all arrive.
 */
import { monotonicMs } from '../../../server/clock.ts';
import type { FaultTest, FaultTestResult } from '../fault-test.ts';
import { type CreateCounts, createWithVariants } from './create-with-variants.ts';
import { type ChildReport, checkInNamespace } from './namespace.ts';

/** Of the spellings, those that are also sent to the API as callback addresses. */
const createsShare = 0.2;
const noTexts: CreateCounts = { creates: 0, rejected: 0, passed: 0, violations: [] };

export const addressVariants: FaultTest = {
  name: 'addresses',
  title: 'addresses spelled to get past the guard, where every address answers',
  failures: [],
  unit: 'addresses',
  runs: 50_000,
  requirements: ['namespaces'],
  async run({ runs, seed, log, saveProgress, signal }) {
    const fromMs = monotonicMs();
    const resultOf = (driven: ChildReport, texts = noTexts): FaultTestResult => {
      const seconds = (monotonicMs() - fromMs) / 1000;
      return driveResult(driven, { texts, seed, seconds });
    };
    const onLine = (line: ChildReport) => {
      const { spellings, arrivals, leaks, missed } = line;
      log(`${spellings} spellings: ${arrivals} connections, ${leaks} leaks, ${missed} missed`);
      saveProgress(resultOf(line));
    };
    const driven = await checkInNamespace({ seed, runs, signal, onLine });
    const texts = await createWithVariants({ seed, runs: Math.ceil(runs * createsShare), signal });
    return resultOf(driven, texts);
  },
};

function driveResult(
  driven: ChildReport,
  rest: { readonly texts: CreateCounts; readonly seed: number; readonly seconds: number },
): FaultTestResult {
  const { texts, seed, seconds } = rest;
  const violations = [...driven.violations, ...texts.violations];
  const spelled = driven.spellings - driven.byHand;
  return {
    runs: spelled,
    acknowledged: 0,
    lost: 0,
    doubled: 0,
    unfinished: 0,
    broken: violations.length,
    violations,
    notes: [
      `${spelled} spellings in ${driven.techniques} ways (seed ${seed}) and ` +
        `${driven.byHand} by hand, ` +
        `each as a callback, a material and a result: ${driven.requests} requests, ` +
        `${seconds.toFixed(0)} s in all`,
      `${driven.arrivals} connections arrived, ${driven.leaks} of them at an address that is not ` +
        `public; of ${driven.good} requests to good addresses ${driven.missed} did not arrive`,
      `${texts.creates} of the spellings as the callback_url of a create: ${texts.rejected} were ` +
        `answered 400, ${texts.passed} got as far as their price, ` +
        `${texts.creates - texts.rejected - texts.passed} were answered otherwise`,
    ],
  };
}
