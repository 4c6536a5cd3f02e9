/**
 * Tests the egress guard with URL variants in a network namespace where every IP address of the
 * internet responds. No request may reach an IP address that is not public; all good ones must
 * arrive.
 * Thorough: a sample of a long fault test; `egress` is tested in every run.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createEgress } from '../../../server/egress/egress.ts';
import { type DnsRecords, startDnsServer } from '../../kit/dns-server.ts';
import { openFakeInternet } from '../../kit/fake-internet.ts';
import { testAuthorityPath } from '../../kit/fake-network.ts';
import { type FaultTestResult, faultTest, noFindings, resultOf } from '../fault-test.ts';
import {
  checkVariant,
  emptyTally,
  type GuardNetwork,
  sensorPorts,
  type VariantTally,
} from './check-variant.ts';
import { handWritten, urlVariants } from './url-variants.ts';

const progressEvery = 5000;

faultTest('no variant reaches an IP address that is not public, and good ones arrive', {
  sample: 1000,
  acknowledgesNone: true,
  requirements: ['user namespaces'],
  namespace: { own: 'user network', file: import.meta.url },
  /** All hand-written URLs, then as many variants as asked. */
  async run({ runs, seed, log, signal }) {
    const authority = await readFile(testAuthorityPath, 'utf8');
    setDefaultCACertificates([...getCACertificates('default'), authority]);
    const internet = await openFakeInternet(sensorPorts);
    const names: Record<string, DnsRecords> = {};
    const dns = await startDnsServer(names);
    const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address] });
    const folder = await mkdtemp(join(tmpdir(), 'vidgen-addresses-'));
    const network: GuardNetwork = { egress, names, takeArrivals: internet.takeArrivals, folder };
    const tally = emptyTally();
    const byHand = handWritten();
    for (const variant of byHand) await checkVariant(network, variant, tally);
    const generated = urlVariants(seed);
    let done = 0;
    for (; done < runs && !signal.aborted; done += 1) {
      await checkVariant(network, generated.next().value, tally);
      if ((done + 1) % progressEvery > 0) continue;
      log(`${done + 1} variants: ${tally.arrivals} connections, ${tally.leaks} leaks`);
    }
    egress.close();
    await Promise.all([dns.close(), internet.close()]);
    await rm(folder, { recursive: true });
    return tallyResult(tally, { runs: done, byHand: byHand.length });
  },
});

function tallyResult(
  tally: VariantTally,
  { runs, byHand }: { readonly runs: number; readonly byHand: number },
): FaultTestResult {
  const { violations, techniques, requests, arrivals, leaks, good, missed, rejected } = tally;
  // Without these a broken fixture would pass.
  const idle = good === 0 || rejected === 0 ? ['no good or no bad URL was tried'] : [];
  return resultOf([{ ...noFindings, broken: [...violations, ...idle] }], {
    runs,
    notes: [
      `${runs} variants in ${techniques.size} techniques and ${byHand} by hand, each as a ` +
        `callback, a material and a result: ${requests} requests, ${rejected} of them rejected`,
      `${arrivals} connections arrived, ${leaks} of them at an IP address that is not public; of ` +
        `${good} requests to good URLs ${missed} did not arrive`,
    ],
  });
}
