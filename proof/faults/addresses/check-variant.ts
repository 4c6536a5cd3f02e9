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

/** One URL as a customer or an upstream could write it. */
export type UrlVariant = {
  readonly url: string;
  /** The DNS records during the request. */
  readonly names: Readonly<Record<string, DnsRecords>>;
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

export const emptyTally = () => ({ arrivals: 0, rejected: 0, violations: [] as string[] });

const kinds = ['callback', 'material', 'result'] as const satisfies readonly UrlKind[];
const deadlineMs = 5000;

export async function checkVariant(
  network: GuardNetwork,
  { url, names }: UrlVariant,
  tally: ReturnType<typeof emptyTally>,
): Promise<void> {
  Object.assign(network.names, names);
  for (const kind of kinds) {
    const end = await send(network, url, kind);
    // One turn of the event loop, so that pending connections are accepted before the next request.
    await setImmediate();
    const arrivals = network.takeArrivals();
    for (const address of arrivals.filter((one) => !isPublicPerRegistry(one))) {
      const variant = JSON.stringify({ url, names });
      tally.violations.push(`a ${kind} reached ${address}, which is not public: ${variant}`);
    }
    tally.arrivals += arrivals.length;
    if (end === 'refused_address') tally.rejected += 1;
  }
  for (const name of Object.keys(names)) delete network.names[name];
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
