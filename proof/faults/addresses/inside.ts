/**
 * The program that runs in a network namespace of its own (`namespace.ts`), with the real dialler:
 * all hand-written addresses, then as many spellings as asked for. Prints lines of JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress } from '../../../server/egress/egress.ts';
import { type DnsRecords, startDnsServer } from '../../kit/dns-server.ts';
import { openWholeInternet } from '../../kit/whole-internet.ts';
import { drive, emptyTally, type Lab } from './drive.ts';
import { handWritten } from './fixture.ts';
import type { InsideLine } from './namespace.ts';
import { sensorPorts } from './spelling.ts';
import { spellings } from './spellings.ts';

const linesEvery = 5000;
const [seed = 1, runs = 0] = process.argv.slice(2).map(Number);
const print = (line: InsideLine) => void process.stdout.write(`${JSON.stringify(line)}\n`);

const internet = await openWholeInternet(sensorPorts);
const names: Record<string, DnsRecords> = {};
const dns = await startDnsServer(names);
const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address] });
const folder = await mkdtemp(join(tmpdir(), 'vidgen-addresses-'));
const lab: Lab = { egress, names, takeArrivals: internet.takeArrivals, folder };

const tally = emptyTally();
const generated = spellings(seed);
const byHand = handWritten();
for (const spelling of byHand) await drive(lab, spelling, tally);
for (let run = 1; run <= runs; run += 1) {
  await drive(lab, generated.next().value, tally);
  if (run % linesEvery === 0 || run === runs) {
    const { ways, ...counts } = tally;
    print({ ...counts, ways: ways.size, byHand: byHand.length });
  }
}

egress.close();
await Promise.all([dns.close(), internet.close()]);
await rm(folder, { recursive: true });
