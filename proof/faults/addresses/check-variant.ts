/**
 * Sends a URL variant through the guard as a callback, a material and a result, and checks where
 * connections arrived. The oracle decides what is public, not the guard.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { UrlKind } from '../../../server/egress/check-url.ts';
import type { Egress } from '../../../server/egress/egress.ts';
import type { DnsRecords } from '../../kit/dns-server.ts';
import { isPublicPerRegistry } from './oracle.ts';

/** One URL as a customer or an upstream could write it, and the expected outcome. */
export type UrlVariant = {
  readonly url: string;
  readonly technique: string;
  /** The DNS records during the request. */
  readonly names: Readonly<Record<string, DnsRecords>>;
  /** The public IP addresses it leads to; none when it must lead nowhere. */
  readonly targets: readonly string[];
  /** Public hosts that redirect on the way. */
  readonly hops: readonly string[];
  /** Some parsers read another host from it, which must be public, too. */
  readonly isAmbiguous: boolean;
  /** For these kinds one of the targets must see a connection. */
  readonly mustArrive: readonly UrlKind[];
  /** A create must reject it by its text alone. */
  readonly isTextEnough: boolean;
};

/** Ports with a sensor: web, mail, shells, databases, container engines. */
export const sensorPorts = {
  secure: [443, 8443, 8080],
  plain: [80, 22, 25, 2375, 3000, 5432, 6379, 9200],
} as const;

/** The path that makes a sensor redirect. */
export const redirectPath = ({ status, to }: { status: number; to: string }): string =>
  `/r/${status}?to=${encodeURIComponent(to)}`;

export type GuardNetwork = {
  readonly egress: Egress;
  /** The records of the DNS server; changed for each variant. */
  readonly names: Record<string, DnsRecords>;
  /** The IP addresses at which connections arrived since the last call. */
  readonly takeArrivals: () => readonly string[];
  readonly folder: string;
};

export type VariantTally = ReturnType<typeof emptyTally>;

export const emptyTally = () => ({
  requests: 0,
  /** Connections that arrived, and those among them at an IP address that is not public. */
  arrivals: 0,
  leaks: 0,
  /** Requests to good URLs, and those among them that did not arrive. */
  good: 0,
  missed: 0,
  rejected: 0,
  techniques: new Set<string>(),
  violations: [] as string[],
});

const kinds = ['callback', 'material', 'result'] as const satisfies readonly UrlKind[];
const deadlineMs = 5000;
/** Failures after a socket was opened: the guard has dialed an IP address. */
const dialedErrors = ['connect', 'tls', 'closed', 'timeout'];
const violationsMax = 50;

export async function checkVariant(
  network: GuardNetwork,
  variant: UrlVariant,
  tally: VariantTally,
): Promise<void> {
  const addViolation = (what: string) => {
    if (tally.violations.length < violationsMax) {
      tally.violations.push(`${what}: ${JSON.stringify(variant.url)} (${variant.technique})`);
    }
  };
  Object.assign(network.names, variant.names);
  for (const kind of kinds) {
    if (variant.isTextEnough && network.egress.check(variant.url, kind).ok) {
      addViolation(`its text passes as a ${kind}`);
    }
    const end = await send(network, variant.url, kind);
    // One turn of the event loop, so that pending connections are accepted before the next request.
    await setImmediate();
    const arrivals = network.takeArrivals();
    for (const violation of variantViolations(variant, { kind, end, arrivals }))
      addViolation(violation);
    tally.requests += 1;
    tally.arrivals += arrivals.length;
    tally.leaks += arrivals.filter((address) => !isPublicPerRegistry(address)).length;
    if (end === 'refused_address') tally.rejected += 1;
    if (!variant.mustArrive.includes(kind)) continue;
    tally.good += 1;
    if (!isThere(variant, arrivals)) tally.missed += 1;
  }
  for (const name of Object.keys(variant.names)) delete network.names[name];
  tally.techniques.add(variant.technique);
}

/** The failure code or the status of the response. */
async function send({ egress, folder }: GuardNetwork, url: string, kind: UrlKind): Promise<string> {
  if (kind === 'callback') {
    const request = { url, headers: {}, body: '{}', deadlineMs, responseBytesMax: 100 };
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

const isThere = ({ targets }: UrlVariant, arrivals: readonly string[]): boolean =>
  arrivals.some((address) => targets.includes(address));

function variantViolations(
  variant: UrlVariant,
  seen: { kind: UrlKind; end: string; arrivals: readonly string[] },
): string[] {
  const { targets, hops, isAmbiguous, mustArrive } = variant;
  const { kind, end, arrivals } = seen;
  const violations = arrivals
    .filter((address) => !isPublicPerRegistry(address))
    .map((address) => `a ${kind} reached ${address}, which is not public`);
  if (!isAmbiguous) {
    const unexpected = arrivals.filter((one) => ![...targets, ...hops].includes(one));
    violations.push(...unexpected.map((address) => `a ${kind} reached ${address} instead`));
    if (targets.length === 0 && dialedErrors.includes(end)) violations.push(`a ${kind} was dialed`);
  }
  if (mustArrive.includes(kind) && !isThere(variant, arrivals)) {
    violations.push(`a good ${kind} did not arrive, but ended as ${end}`);
  }
  return violations;
}
