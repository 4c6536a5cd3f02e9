/**
 * The suite every provider adapter must pass, against a double of its upstream. It checks
 * behaviour, not looks: what is sent, what each kind of trouble is called, and that nothing is
 * started twice. Each test is named `<adapter> / <case>: <promise>`, so that reports make a table
 * adapter by case.
 */
import { describe, test } from 'node:test';
import type { AdapterFixture, ConformanceCase } from './conformance-fixture.ts';
import { requestCases, startCases } from './conformance-start.ts';
import { cancelCases, statusCases } from './conformance-status.ts';

const allCases = [...requestCases, ...startCases, ...statusCases, ...cancelCases] as const;
export type CaseName = (typeof allCases)[number]['id'];
export const conformanceCases: readonly (ConformanceCase & { readonly id: CaseName })[] = allCases;

export type Harness = {
  readonly open: (options: { readonly shortTimeouts: boolean }) => Promise<AdapterFixture>;
  /** Cases that cannot arise with this upstream, and why; shown as skipped. */
  readonly unsupported?: Partial<Record<CaseName, string>>;
};

export function describeConformance(name: string, harness: Harness): void {
  describe(`conformance of ${name}`, () => {
    for (const { id, promise, run, shortTimeouts = false } of conformanceCases) {
      const reason = harness.unsupported?.[id];
      test(`${name} / ${id}: ${promise}`, { skip: reason ?? false }, async () => {
        const fixture = await harness.open({ shortTimeouts });
        try {
          await run(fixture);
        } finally {
          await fixture.close();
        }
      });
    }
  });
}
