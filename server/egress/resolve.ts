/**
 * Resolves host names written by customers, by DNS only. Uses `dns.Resolver`, because with the
 * thread pool's `dns.lookup` 50 unresponsive names would block every lookup of the process, and the
 * hosts file is private to this machine. One attempt, one second, both families, no cache.
 */
import { Resolver } from 'node:dns/promises';
import { startTimer } from '../process/clock.ts';
import { EgressFailure } from './failure.ts';

const lookupMsMax = 1_000;

type LookupOptions = {
  readonly signal: AbortSignal;
  /** DNS servers instead of the machine's, as `address:port`. */
  readonly servers?: readonly string[];
};

/** Returns every address of both families; a family without a response counts as empty. */
export async function resolveName(
  name: string,
  { signal, servers }: LookupOptions,
): Promise<string[]> {
  signal.throwIfAborted();
  // One resolver per lookup: its `cancel` ends only this lookup, whatever c-ares would still try.
  const resolver = new Resolver({ timeout: lookupMsMax, tries: 1 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const timer = startTimer(lookupMsMax, cancel);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal.throwIfAborted();
    const addresses = families.flatMap((result) =>
      result.status === 'fulfilled' ? result.value : [],
    );
    if (addresses.length === 0) throw new EgressFailure('dns');
    return addresses;
  } finally {
    timer.stop();
    signal.removeEventListener('abort', cancel);
  }
}
