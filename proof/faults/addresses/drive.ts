/**
 * Sends a spelling through all three doors of the guard, as a callback, a material and a result,
 * and judges what arrived where. The judge is the oracle: the guard's own opinion is not asked.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Egress } from '../../../server/egress/egress.ts';
import type { AddressKind } from '../../../server/egress/ports.ts';
import type { DnsRecords } from '../../kit/dns-server.ts';
import { isPublicByTheBook } from './oracle.ts';
import type { Spelling } from './spelling.ts';

export type Lab = {
  readonly egress: Egress;
  /** What the name server answers; changed for each spelling. */
  readonly names: Record<string, DnsRecords>;
  /** The addresses that connections arrived at since the last call. */
  readonly takeArrivals: () => readonly string[];
  /** Where results are saved. */
  readonly folder: string;
};

export type Tally = {
  spellings: number;
  requests: number;
  /** Connections that arrived, and those among them where none may. */
  arrivals: number;
  leaks: number;
  /** Requests to good addresses, and those among them that did not arrive. */
  good: number;
  missed: number;
  refused: number;
  readonly ways: Set<string>;
  readonly violations: string[];
};

export const emptyTally = (): Tally => ({
  spellings: 0,
  requests: 0,
  arrivals: 0,
  leaks: 0,
  good: 0,
  missed: 0,
  refused: 0,
  ways: new Set(),
  violations: [],
});

const kinds = ['callback', 'material', 'result'] as const satisfies readonly AddressKind[];
const deadlineMs = 5000;
/** Ends that come after a socket was opened: an address that must not be reached was dialled. */
const dialled = ['connect', 'tls', 'closed', 'timeout'];
/** One breach in thousands of spellings: enough to know it by. */
const violationsMax = 50;

export async function drive(lab: Lab, spelling: Spelling, tally: Tally): Promise<void> {
  const tell = (what: string) => {
    if (tally.violations.length < violationsMax) {
      tally.violations.push(`${what}: ${JSON.stringify(spelling.url)} (${spelling.way})`);
    }
  };
  Object.assign(lab.names, spelling.names);
  for (const kind of kinds) {
    if (spelling.isTextEnough && lab.egress.check(spelling.url, kind).ok) {
      tell(`its text passes as a ${kind}`);
    }
    const end = await send(lab, spelling.url, kind);
    // A turn of the loop: what waits to be accepted is, before the next one is sent.
    await setImmediate();
    const arrivals = lab.takeArrivals();
    for (const trouble of troublesOf(spelling, { kind, end, arrivals })) tell(trouble);
    tally.requests += 1;
    tally.arrivals += arrivals.length;
    tally.leaks += arrivals.filter((address) => !isPublicByTheBook(address)).length;
    if (end === 'refused_address') tally.refused += 1;
    if (!spelling.mustArrive.includes(kind)) continue;
    tally.good += 1;
    if (!isThere(spelling, arrivals)) tally.missed += 1;
  }
  for (const name of Object.keys(spelling.names)) delete lab.names[name];
  tally.spellings += 1;
  tally.ways.add(spelling.way);
}

/** How it ended: the failure's code, or the status of the answer. */
async function send({ egress, folder }: Lab, url: string, kind: AddressKind): Promise<string> {
  if (kind === 'callback') {
    const request = { url, headers: {}, body: '{}', deadlineMs, answerBytesMax: 100 };
    const posted = await egress.post(request);
    return posted.outcome === 'failed' ? posted.error : String(posted.status);
  }
  const request = { url, kind, deadlineMs, bytesMax: 100 };
  if (kind === 'result') {
    const saved = await egress.download({ ...request, into: join(folder, 'result') });
    if (saved.outcome === 'failed') return saved.error;
    return saved.outcome === 'saved' ? '200' : String(saved.status);
  }
  const got = await egress.get(request);
  if (got.outcome === 'failed') return got.error;
  await Array.fromAsync(got.stream);
  return String(got.status);
}

const isThere = ({ targets }: Spelling, arrivals: readonly string[]): boolean =>
  arrivals.some((address) => targets.includes(address));

function troublesOf(
  spelling: Spelling,
  seen: { kind: AddressKind; end: string; arrivals: readonly string[] },
): string[] {
  const { targets, hops, isAmbiguous, mustArrive } = spelling;
  const { kind, end, arrivals } = seen;
  const troubles = arrivals
    .filter((address) => !isPublicByTheBook(address))
    .map((address) => `a ${kind} reached ${address}, which is not public`);
  if (!isAmbiguous) {
    const strangers = arrivals.filter((one) => ![...targets, ...hops].includes(one));
    troubles.push(...strangers.map((address) => `a ${kind} reached ${address} instead`));
    if (targets.length === 0 && dialled.includes(end)) troubles.push(`a ${kind} was dialled`);
  }
  if (mustArrive.includes(kind) && !isThere(spelling, arrivals)) {
    troubles.push(`a good ${kind} did not arrive, but ended as ${end}`);
  }
  return troubles;
}
