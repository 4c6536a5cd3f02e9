/**
 * Tests the egress guard with URL variants in a network namespace where every IP address of the
 * internet responds. No request may reach an IP address that is not public; that good URLs arrive
 * is tested in `egress`.
 * Thorough: a sample of a long fault test; `egress` is tested in every run.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { createEgress } from '../../../server/egress/egress.ts';
import { type DnsRecords, startDnsServer } from '../../kit/dns-server.ts';
import { openFakeInternet } from '../../kit/fake-internet.ts';
import { testAuthorityPath } from '../../kit/fake-network.ts';
import { faultTest } from '../fault-test.ts';
import { checkVariant, emptyTally, type GuardNetwork, sensorPorts } from './check-variant.ts';
import { anyVariant } from './url-variants.ts';

const progressEvery = 5000;

faultTest('no variant reaches an IP address that is not public', {
  sample: 1000,
  requirements: ['user namespaces'],
  namespace: { own: 'user network', file: import.meta.url },
  async run({ runs, seed, log }) {
    const authority = await readFile(testAuthorityPath, 'utf8');
    setDefaultCACertificates([...getCACertificates('default'), authority]);
    const internet = await openFakeInternet(sensorPorts);
    const names: Record<string, DnsRecords> = {};
    const dns = await startDnsServer(names);
    const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address] });
    const folder = await mkdtemp(join(tmpdir(), 'vidgen-addresses-'));
    const network: GuardNetwork = { egress, names, takeArrivals: internet.takeArrivals, folder };
    const tally = emptyTally();
    for (const [at, variant] of fc.sample(anyVariant, { numRuns: runs, seed }).entries()) {
      await checkVariant(network, variant(`n${at}`), tally);
      if (at % progressEvery === 0) log(`${at} variants: ${tally.arrivals} connections`);
    }
    egress.close();
    await Promise.all([dns.close(), internet.close()]);
    await rm(folder, { recursive: true });
    assert.deepEqual(tally.violations, []);
    // A broken fixture would reject nothing, or let nothing arrive.
    assert.ok(tally.rejected > 0);
    return tally.arrivals;
  },
});
