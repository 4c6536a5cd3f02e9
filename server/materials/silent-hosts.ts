/**
 * Hosts that did not answer are left alone for a while: nobody can use us to knock at a closed door
 * again and again, and nobody waits for it again and again (Decisions, "Looking is bounded").
 */
import { elapsedMs } from '../clock.ts';

const silentMs = 60_000;
const hostsMax = 5_000;

/**
 * An account at a host. What one account met is not held against another: a dead redirect or one
 * slow path would let anybody shut a good host out for everybody.
 */
export type Knock = { readonly url: string; readonly accountId: string };

export type SilentHosts = {
  isSilent(knock: Knock): boolean;
  answered(knock: Knock): void;
  /** Does not count when the host has answered anyone since: then our own queue was too long. */
  unanswered(knock: Knock & { readonly sinceMs: number }): void;
};

export function createSilentHosts(): SilentHosts {
  const silentUntilMs = new Map<string, number>();
  const answeredMs = new Map<string, number>();
  // With scheme and port: a closed port says nothing of its neighbour.
  const hostOf = ({ url }: Knock) => new URL(url).origin;
  const nameOf = (knock: Knock) => `${hostOf(knock)} ${knock.accountId}`;
  return {
    isSilent: (knock) => (silentUntilMs.get(nameOf(knock)) ?? 0) > elapsedMs(),
    answered: (knock) => remember(answeredMs, hostOf(knock), elapsedMs()),
    unanswered(knock) {
      if ((answeredMs.get(hostOf(knock)) ?? 0) > knock.sinceMs) return;
      remember(silentUntilMs, nameOf(knock), elapsedMs() + silentMs);
    },
  };
}

/** The longest unheard of goes when there are too many. */
function remember(times: Map<string, number>, name: string, ms: number): void {
  times.delete(name);
  times.set(name, ms);
  const [oldest] = times.keys();
  if (times.size > hostsMax && oldest !== undefined) times.delete(oldest);
}
