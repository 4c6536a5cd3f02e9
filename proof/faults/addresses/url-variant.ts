/** One address as a customer or an upstream could write it, and what must come of it. */
import type { UrlKind } from '../../../server/egress/ports.ts';
import type { DnsRecords } from '../../kit/dns-server.ts';

export type UrlVariant = {
  readonly url: string;
  /** What was done to it, for the tally. */
  readonly technique: string;
  /** What the name server answers meanwhile. */
  readonly names: Readonly<Record<string, DnsRecords>>;
  /** Where it leads: public addresses, or none when it must lead nowhere. */
  readonly targets: readonly string[];
  /** Public hosts that redirect on the way. */
  readonly hops: readonly string[];
  /** Some parser reads another host out of it: then that one must be public, and is enough. */
  readonly isAmbiguous: boolean;
  /** For these it is as good an address as any: one of the targets must see a connection. */
  readonly mustArrive: readonly UrlKind[];
  /** Bad enough to be refused by its text alone, when a task is created. */
  readonly isTextEnough: boolean;
};

/** Ports with a sensor: of the web, of mail and shells, of databases and container engines. */
export const sensorPorts = {
  secure: [443, 8443, 8080],
  plain: [80, 22, 25, 2375, 3000, 5432, 6379, 9200],
} as const;

/** In front of every path that asks to be sent on; the sensors answer it. */
export const redirectPath = ({ status, to }: { status: number; to: string }): string =>
  `/r/${status}?to=${encodeURIComponent(to)}`;
