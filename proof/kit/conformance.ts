/**
 * The suite that every provider adapter must pass against its fake upstream: what is sent, how
 * each failure is reported, and that nothing starts twice.
 */
import { describe, test } from 'node:test';
import type { AdapterFixture, ConformanceCase } from './conformance-fixture.ts';
import { requestCases, startCases } from './conformance-start.ts';
import { cancelCases, statusCases } from './conformance-status.ts';

const allCases = [...requestCases, ...startCases, ...statusCases, ...cancelCases] as const;
export type CaseName = (typeof allCases)[number]['id'];
const conformanceCases: readonly (ConformanceCase & { readonly id: CaseName })[] = allCases;

export type Harness = {
  readonly open: (options: { readonly shortTimeouts: boolean }) => Promise<AdapterFixture>;
  /** Cases that cannot arise with this upstream, and why; reported as skipped. */
  readonly unsupported?: Partial<Record<CaseName, string>>;
};

/**
 * A further dialect of an adapter whose code the first one has tested. `npm test` checks
 * what it sends and what it starts; the thorough run all of it.
 */
const variant = /^openai-videos \((?!openai\))/;

export function describeConformance(name: string, harness: Harness): void {
  const isSample = variant.test(name) && !process.env.VIDGEN_TEST_THOROUGH;
  describe(`conformance of ${name}`, () => {
    const cases = isSample ? conformanceCases.slice(0, requestCases.length + 1) : conformanceCases;
    for (const { id, promise, run, shortTimeouts = false } of cases) {
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
