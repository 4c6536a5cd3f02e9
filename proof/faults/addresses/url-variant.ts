/** One URL as a customer or an upstream could write it, and the expected outcome. */
import type { UrlKind } from '../../../server/egress/ports.ts';
import type { DnsRecords } from '../../kit/dns-server.ts';

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
