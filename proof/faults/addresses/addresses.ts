/**
 * The proof of the guard: spellings of hosts in a network where every address of the internet
 * answers. None may reach an address that is not public, and the good ones must all arrive.
 */
import { elapsedMs } from '../../../server/clock.ts';
import type { Outcome, Proof } from '../proof.ts';
import { createWithSpellings, type TextOutcome } from './create-texts.ts';
import { driveInNamespace, type InsideLine } from './namespace.ts';

/** Of the spellings, those that are also sent to the API as callback addresses. */
const createsShare = 0.2;
const noTexts: TextOutcome = { creates: 0, refused: 0, passed: 0, violations: [] };

export const addresses: Proof = {
  name: 'addresses',
  title: 'addresses spelled to get past the guard, where every address answers',
  failures: [],
  unit: 'addresses',
  runs: 50_000,
  needs: ['namespaces'],
  async run({ runs, seed, say, keep, signal }) {
    const fromMs = elapsedMs();
    const outcome = (driven: InsideLine, texts = noTexts): Outcome => {
      const seconds = (elapsedMs() - fromMs) / 1000;
      return outcomeOfDrive(driven, { texts, seed, seconds });
    };
    const onLine = (line: InsideLine) => {
      const { spellings, arrivals, leaks, missed } = line;
      say(`${spellings} spellings: ${arrivals} connections, ${leaks} leaks, ${missed} missed`);
      keep(outcome(line));
    };
    const driven = await driveInNamespace({ seed, runs, signal, onLine });
    const texts = await createWithSpellings({ seed, runs: Math.ceil(runs * createsShare), signal });
    return outcome(driven, texts);
  },
};

function outcomeOfDrive(
  driven: InsideLine,
  rest: { readonly texts: TextOutcome; readonly seed: number; readonly seconds: number },
): Outcome {
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
      `${spelled} spellings in ${driven.ways} ways (seed ${seed}) and ${driven.byHand} by hand, ` +
        `each as a callback, a material and a result: ${driven.requests} requests, ` +
        `${seconds.toFixed(0)} s in all`,
      `${driven.arrivals} connections arrived, ${driven.leaks} of them at an address that is not ` +
        `public; of ${driven.good} requests to good addresses ${driven.missed} did not arrive`,
      `${texts.creates} of the spellings as the callback_url of a create: ${texts.refused} were ` +
        `answered 400, ${texts.passed} got as far as their price, ` +
        `${texts.creates - texts.refused - texts.passed} were answered otherwise`,
    ],
  };
}
