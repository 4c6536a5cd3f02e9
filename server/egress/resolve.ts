/**
 * Addresses of a name that a customer wrote. Asked of the DNS only, by `dns.Resolver`: the thread
 * pool's `dns.lookup` would let 50 silent names hold up every look-up of the process, and the hosts
 * file is this machine's own business. One try, one second, both families, nothing remembered.
 */
import { Resolver } from 'node:dns/promises';
import { startTimer } from '../clock.ts';
import { EgressFailure } from './failure.ts';

const lookupMsMax = 1_000;

export type LookupOptions = {
  readonly signal: AbortSignal;
  /** Resolvers to ask instead of the machine's, as `address:port`. */
  readonly servers?: readonly string[];
};

/** Every address of both families; a family that did not answer counts as none. */
export async function resolveName(
  name: string,
  { signal, servers }: LookupOptions,
): Promise<string[]> {
  signal.throwIfAborted();
  // A resolver for each look-up: its `cancel` ends this one alone, whatever c-ares would still try.
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
