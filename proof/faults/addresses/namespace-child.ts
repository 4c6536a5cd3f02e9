/**
 * The program that runs in a network namespace of its own (`namespace.ts`), with the real dialler:
 * all hand-written addresses, then as many spellings as asked for. Prints lines of JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress } from '../../../server/egress/egress.ts';
import { type DnsRecords, startDnsServer } from '../../kit/dns-server.ts';
import { openFakeInternet } from '../../kit/fake-internet.ts';
import { checkVariant, emptyTally, type GuardNetwork } from './check-variant.ts';
import { handWritten } from './fixture.ts';
import type { ChildReport } from './namespace.ts';
import { sensorPorts } from './url-variant.ts';
import { urlVariants } from './url-variants.ts';

const linesEvery = 5000;
const [seed = 1, runs = 0] = process.argv.slice(2).map(Number);
const print = (line: ChildReport) => void process.stdout.write(`${JSON.stringify(line)}\n`);

const internet = await openFakeInternet(sensorPorts);
const names: Record<string, DnsRecords> = {};
const dns = await startDnsServer(names);
const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address] });
const folder = await mkdtemp(join(tmpdir(), 'vidgen-addresses-'));
const network: GuardNetwork = { egress, names, takeArrivals: internet.takeArrivals, folder };

const tally = emptyTally();
const generated = urlVariants(seed);
const byHand = handWritten();
for (const variant of byHand) await checkVariant(network, variant, tally);
for (let run = 1; run <= runs; run += 1) {
  await checkVariant(network, generated.next().value, tally);
  if (run % linesEvery === 0 || run === runs) {
    const { techniques, ...counts } = tally;
    print({ ...counts, techniques: techniques.size, byHand: byHand.length });
  }
}

egress.close();
await Promise.all([dns.close(), internet.close()]);
await rm(folder, { recursive: true });
