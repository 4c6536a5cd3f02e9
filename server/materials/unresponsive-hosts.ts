/**
 * Unresponsive hosts are not contacted for a minute, so that no one can use the service to hammer a
 * host and no create waits for it again (Decision 0001, "Looking is bounded").
 */
import { monotonicMs } from '../process/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const bounds = { ttlMs: 60_000, entriesMax: 5_000 };

/**
 * Kept per account: otherwise a dead redirect or one slow path would let any account block a
 * working host for all others. With scheme and port: a closed port says nothing about other ports.
 */
type HostAttempt = { readonly origin: string; readonly accountId: string };

export class UnresponsiveHosts {
  readonly #unresponsive = new ExpiringMap<true>(bounds);
  readonly #respondedMs = new ExpiringMap<number>(bounds);

  isUnresponsive({ origin, accountId }: HostAttempt): boolean {
    return this.#unresponsive.get(`${origin} ${accountId}`) !== null;
  }

  recordResponse({ origin }: HostAttempt): void {
    this.#respondedMs.set(origin, monotonicMs());
  }

  /** Ignored if the host has responded to any account since: then our own queue was too long. */
  recordNoResponse({ origin, accountId }: HostAttempt, startedMs: number): void {
    if ((this.#respondedMs.get(origin) ?? 0) > startedMs) return;
    this.#unresponsive.set(`${origin} ${accountId}`, true);
  }
}
