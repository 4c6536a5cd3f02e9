/**
 * Hosts that did not answer are left alone for a while: nobody can use us to knock at a closed door
 * again and again, and nobody waits for it again and again (Decisions, "Looking is bounded").
 */
import { monotonicMs } from '../clock.ts';

const unresponsiveMs = 60_000;
const hostsMax = 5_000;

/**
 * An account at a host. What one account met is not held against another: a dead redirect or one
 * slow path would let anybody shut a good host out for everybody.
 */
export type HostAttempt = { readonly url: string; readonly accountId: string };

export type UnresponsiveHosts = {
  isUnresponsive(attempt: HostAttempt): boolean;
  recordResponse(attempt: HostAttempt): void;
  /** Does not count when the host has answered anyone since: then our own queue was too long. */
  recordNoResponse(attempt: HostAttempt & { readonly startedMs: number }): void;
};

export function createUnresponsiveHosts(): UnresponsiveHosts {
  const unresponsiveUntilMs = new Map<string, number>();
  const respondedMs = new Map<string, number>();
  // With scheme and port: a closed port says nothing of its neighbour.
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

/** The longest unheard of goes when there are too many. */
function setBounded(times: Map<string, number>, name: string, ms: number): void {
  times.delete(name);
  times.set(name, ms);
  const [oldest] = times.keys();
  if (times.size > hostsMax && oldest !== undefined) times.delete(oldest);
}
