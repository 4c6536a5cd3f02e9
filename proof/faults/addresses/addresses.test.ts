/**
 * Tests the egress guard with URL variants in a network namespace where every IP address of the
 * internet responds and, for machines without one, with a dialer that records the IP addresses. No
 * request may reach an IP address that is not public; all good ones must arrive.
 * Thorough: a sample of a long fault test; `egress` is tested in every run.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Dial } from '../../../server/egress/connect.ts';
import { createEgress } from '../../../server/egress/egress.ts';
import { type DnsRecords, startDnsServer } from '../../kit/dns-server.ts';
import { openFakeInternet, respondOnce } from '../../kit/fake-internet.ts';
import { createFakeNetwork, listen, testAuthorityPath } from '../../kit/fake-network.ts';
import { type FaultTestResult, faultTest, noFindings, resultOf, seed } from '../fault-test.ts';
import {
  checkVariant,
  emptyTally,
  type GuardNetwork,
  sensorPorts,
  type VariantTally,
} from './check-variant.ts';
import { createWithVariants } from './create-with-variants.ts';
import { isPublicPerRegistry } from './oracle.ts';
import { handWritten, urlVariants } from './url-variants.ts';

const progressEvery = 5000;

faultTest('no variant reaches an IP address that is not public, and good ones arrive', {
  sample: 1000,
  acknowledgesNone: true,
  requirements: ['user namespaces'],
  namespace: { own: 'user network', file: import.meta.url },
  /** All hand-written URLs, then as many variants as asked. */
  async run({ runs, seed, log, signal }) {
    await trustTestAuthority();
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

faultTest('no variant as the callback URL of a create is accepted where its text is bad', {
  sample: 200,
  acknowledgesNone: true,
  run: createWithVariants,
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

/** Trusts the authority of the test servers in this process. */
async function trustTestAuthority(): Promise<void> {
  const authority = await readFile(testAuthorityPath, 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), authority]);
}

test('the same without a namespace, by a dialer that records', async (t) => {
  await trustTestAuthority();
  const names: Record<string, DnsRecords> = {};
  const dns = await startDnsServer(names);
  t.after(dns.close);
  const [secure, plain] = await Promise.all(
    [true, false].map(async (isSecure) => {
      const server = await listen(respondOnce, { isSecure });
      t.after(server.close);
      return createFakeNetwork(server.port);
    }),
  );
  const dialed: string[] = [];
  const dial: Dial = (target) => {
    dialed.push(target.address);
    const isSecure = sensorPorts.secure.some((port) => port === target.port);
    return (isSecure ? secure! : plain!).dial(target);
  };
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-addresses-'));
  t.after(() => rm(folder, { recursive: true }));
  const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address], dial });
  t.after(egress.close);
  const network = { egress, names, takeArrivals: () => dialed.splice(0), folder };
  const tally = emptyTally();
  const generated = urlVariants(seed + 1);
  for (let run = 0; run < 100; run += 1) await checkVariant(network, generated.next().value, tally);
  assert.deepEqual(tally.violations, []);
  assert.ok(tally.good > 0 && tally.rejected > 0);
});

test('the oracle knows the edges of the special ranges', () => {
  const special = ['10.0.0.0', '10.255.255.255', '100.127.255.255', '168.63.129.16', '224.0.0.1'];
  special.push('::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2001:1ff:ffff::', '2002::1', '4000::');
  special.push('3fff:fff:ffff::', '2a00::5efe:10.0.0.1', '2a00::200:5efe:a00:1', 'fe80::1');
  for (const address of special) assert.equal(isPublicPerRegistry(address), false, address);
  const good = ['9.255.255.255', '11.0.0.0', '100.128.0.0', '168.63.129.17', '223.255.255.255'];
  good.push('2001:200::', '2003::', '3fff:1000::', '2000::', '2a00::5eff:10.0.0.1');
  for (const address of good) assert.equal(isPublicPerRegistry(address), true, address);
});
