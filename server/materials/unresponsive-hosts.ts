/**
 * Unresponsive hosts are not contacted for a minute, so that no one can use the service to hammer a
 * host and no create waits for it again (Decision 0001, "Looking is bounded").
 */
import { monotonicMs } from '../process/clock.ts';

const unresponsiveMs = 60_000;
const hostsMax = 5_000;

/**
 * Kept per account: otherwise a dead redirect or one slow path would let any account block a
 * working host for all others.
 */
type HostAttempt = { readonly url: string; readonly accountId: string };

export type UnresponsiveHosts = {
  isUnresponsive(attempt: HostAttempt): boolean;
  recordResponse(attempt: HostAttempt): void;
  /** Ignored if the host has responded to any account since: then our own queue was too long. */
  recordNoResponse(attempt: HostAttempt & { readonly startedMs: number }): void;
};

export function createUnresponsiveHosts(): UnresponsiveHosts {
  const unresponsiveUntilMs = new Map<string, number>();
  const respondedMs = new Map<string, number>();
  // With scheme and port: a closed port says nothing about other ports.
  const originOf = ({ url }: HostAttempt) => new URL(url).origin;
  const keyOf = (attempt: HostAttempt) => `${originOf(attempt)} ${attempt.accountId}`;
  return {
    isUnresponsive: (attempt) => (unresponsiveUntilMs.get(keyOf(attempt)) ?? 0) > monotonicMs(),
    recordResponse: (attempt) => setBounded(respondedMs, originOf(attempt), monotonicMs()),
    recordNoResponse(attempt) {
      if ((respondedMs.get(originOf(attempt)) ?? 0) > attempt.startedMs) return;
      setBounded(unresponsiveUntilMs, keyOf(attempt), monotonicMs() + unresponsiveMs);
    },
  };
}

/** Evicts the least recently set entry when there are too many. */
function setBounded(times: Map<string, number>, name: string, ms: number): void {
  times.delete(name);
  times.set(name, ms);
  const [oldest] = times.keys();
  if (times.size > hostsMax && oldest !== undefined) times.delete(oldest);
}
