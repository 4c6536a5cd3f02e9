/**
 * The suite every provider adapter must pass, against a double of its upstream. It checks
 * behaviour, not looks: what is sent, what each kind of trouble is called, and that nothing is
 * started twice. Each test is named `<adapter> / <case>: <promise>`, so that reports make a table
 * adapter by case.
 */
import { describe, test } from 'node:test';
import type { Bench, Case } from './conformance-bench.ts';
import { requestCases, startCases } from './conformance-start.ts';
import { cancelCases, statusCases } from './conformance-status.ts';

const allCases = [...requestCases, ...startCases, ...statusCases, ...cancelCases] as const;
export type CaseName = (typeof allCases)[number]['id'];
export const conformanceCases: readonly (Case & { readonly id: CaseName })[] = allCases;

export type Harness = {
  readonly open: (options: { readonly impatient: boolean }) => Promise<Bench>;
  /** Cases that cannot arise with this upstream, and why; shown as skipped. */
  readonly cannot?: Partial<Record<CaseName, string>>;
};

export function describeConformance(name: string, harness: Harness): void {
  describe(`conformance of ${name}`, () => {
    for (const { id, promise, run, impatient = false } of conformanceCases) {
      const reason = harness.cannot?.[id];
      test(`${name} / ${id}: ${promise}`, { skip: reason ?? false }, async () => {
        const bench = await harness.open({ impatient });
        try {
          await run(bench);
        } finally {
          await bench.close();
        }
      });
    }
  });
}
