/** The conformance harness of a preset over the fake of its vendor. */
import type { DeclaredOptions } from '../../../server/providers/declared/declared.ts';
import type { Provider } from '../../../server/providers/provider.ts';
import type { Harness } from '../conformance.ts';
import { createFixture, timing, withCallbacks } from '../conformance-faults.ts';
import { declaredProvider } from './declared-provider.ts';
import { FakeVendor, type VendorWire } from './fake-vendor.ts';

/** The preset at its fake; the fake learns the reference of each start, as a test would. */
export function presetAt(
  wire: VendorWire,
  fake: FakeVendor,
  change: Partial<DeclaredOptions> = {},
): Provider {
  const provider = withCallbacks(declaredProvider(wire.preset, { name: 'preset', fake, change }));
  return {
    ...provider,
    start: (request) => {
      fake.reference = request.reference;
      return provider.start(request);
    },
  };
}

export const presetHarness = (wire: VendorWire): Harness => ({
  unsupported: wire.unsupported,
  async open(options) {
    const fake = await FakeVendor.start(wire);
    return createFixture({
      fake,
      responses: wire.responses,
      operations: { start: 'create', status: 'get' },
      provider: presetAt(wire, fake, timing(options)),
      setState: (operation, state) => {
        if (state === 'vanished') fake.vanish(operation);
        else fake.job(operation)!.state = state;
      },
      received: () => wire.received(fake.started.at(-1)!),
      generations: (reference) => fake.started.filter((job) => job.reference === reference).length,
      hasResult: (operation) => fake.job(operation)?.state === 'completed',
    });
  },
});
