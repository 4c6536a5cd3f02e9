/**
 * A sample of the fault test `addresses`: in a network namespace where every IP address of the
 * internet responds and, for machines without one, with a dialer that records the IP addresses.
 * Thorough: a sample of a long fault test; `egress` is tested in every run.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Dial } from '../../../server/egress/connect.ts';
import { createEgress } from '../../../server/egress/egress.ts';
import { type DnsRecords, startDnsServer } from '../../kit/dns-server.ts';
import { respondOnce } from '../../kit/fake-internet.ts';
import { createFakeNetwork, listen } from '../../kit/fake-network.ts';
import { missingRequirements } from '../requirements.ts';
import { checkInNamespace, trustTestAuthority } from './addresses.ts';
import { checkVariant, emptyTally, sensorPorts } from './check-variant.ts';
import { isPublicPerRegistry } from './oracle.ts';
import { urlVariants } from './url-variants.ts';

const runs = 1000;
const seed = 20_261_115;

test('no variant reaches an IP address that is not public, and good ones arrive', async (t) => {
  const [missing] = missingRequirements(['user namespaces']);
  if (missing !== undefined) return t.skip(missing);
  const log = (line: string) => t.diagnostic(line);
  const { signal } = new AbortController();
  const result = await checkInNamespace({ seed, runs, log, saveProgress: () => {}, signal });
  assert.deepEqual(result.violations, []);
  assert.equal(result.runs, runs);
});

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
