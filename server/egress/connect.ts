/**
 * Opens the connection of a request, or uses a kept one. Every address is checked before it is
 * dialed, the peer again before a byte is sent, and TLS runs over that same socket, so the checked
 * address is the one used.
 */
import { connect as connectTcp, isIP, isIPv4, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { startTimer } from '../process/clock.ts';
import { hostOf, isLocalhost, portOf } from './check-url.ts';
import type { ConnectionPool, OpenedSocket, PooledConnection } from './connection-pool.ts';
import { EgressFailure } from './failure.ts';
import {
  allowedLoopback,
  blockLists,
  isAllowed,
  mayReach,
  type ReachPolicy,
} from './ip-address.ts';
import type { KeyedSemaphore } from './keyed-semaphore.ts';

type DialTarget = {
  readonly address: string;
  readonly port: number;
  readonly signal: AbortSignal;
};

/** Resolves with a connected socket on which nothing has been sent. */
export type Dial = (target: DialTarget) => Promise<Socket>;

export type Guard = {
  readonly policy: ReachPolicy;
  readonly dial: Dial;
  /** Returns every address of a name; throws `EgressFailure` if there is none. */
  readonly resolve: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Limits concurrent sockets per host; without it there is no limit. */
  readonly connectionSlots?: KeyedSemaphore;
  /** Keeps connections for later requests; without it, each closes with its request. */
  readonly pool?: ConnectionPool;
};

// A name with a hundred addresses must not cause a hundred connections.
const dialedAddressesMax = 4;
// RFC 8305, 5: time after which the next address is tried in parallel.
const nextAddressMs = 250;

export type GuardedConnection = { readonly socket: Socket } & Partial<PooledConnection>;

/**
 * The slot is acquired before the first DNS lookup and released when the socket closes. A kept
 * connection is used only if its address is one of those that the host has now.
 */
export async function connect(
  guard: Guard,
  url: URL,
  signal: AbortSignal,
): Promise<GuardedConnection> {
  const host = hostOf(url);
  const release = (await acquireSlot(guard, host, signal)) ?? (() => {});
  try {
    const addresses = await reachableAddresses(guard, host, signal);
    const open = () => openSocket(guard, url, { addresses, port: portOf(url), signal });
    const name = `${url.protocol}//${host}:${portOf(url)}`;
    if (guard.pool) return await guard.pool.acquire({ name, addresses, signal }, open);
    const { socket } = await open();
    if (socket.closed) release();
    else socket.once('close', release);
    return { socket };
  } catch (error) {
    release();
    throw error;
  }
}

async function openSocket(guard: Guard, url: URL, plan: DialPlan): Promise<OpenedSocket> {
  const socket = await dialAny(guard.dial, plan);
  // Until the next owner adds a listener, an error would be uncaught; the closed socket reports it.
  socket.on('error', () => {});
  const address = socket.remoteAddress;
  if (address === undefined || !mayReach(address, guard.policy)) {
    socket.destroy();
    // A connection that was reset immediately has no peer address.
    throw new EgressFailure(address === undefined ? 'closed' : 'refused_address');
  }
  if (url.protocol !== 'https:') return { socket, address };
  return { socket: await startTls(socket, hostOf(url), plan.signal), address };
}

async function acquireSlot({ connectionSlots }: Guard, host: string, signal: AbortSignal) {
  signal.throwIfAborted();
  return await connectionSlots?.acquire(host, signal).catch(() => {
    throw new EgressFailure('no_slot');
  });
}

/** One forbidden address rejects the whole name, because its other addresses may be a decoy. */
async function reachableAddresses(guard: Guard, host: string, signal: AbortSignal) {
  const addresses = await addressesOf(guard, host, signal);
  if (addresses.length === 0 || !addresses.every((address) => mayReach(address, guard.policy))) {
    throw new EgressFailure('refused_address');
  }
  return addresses;
}

async function addressesOf(guard: Guard, host: string, signal: AbortSignal) {
  if (isIP(host) !== 0) return [host];
  if (isLocalhost(host)) return allowedLoopback(guard.policy.allowedNetworks);
  return guard.resolve(host, signal);
}

/** Alternates IPv4 and IPv6, so that a family without a route costs at most one wait. */
export function dialOrder(addresses: readonly string[]): string[] {
  const ipv4 = addresses.filter((address) => isIPv4(address));
  const ipv6 = addresses.filter((address) => !isIPv4(address));
  const rounds = Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, round) => round);
  return rounds
    .flatMap((round) => [ipv4[round], ipv6[round]])
    .filter((address) => address !== undefined)
    .slice(0, dialedAddressesMax);
}

type DialPlan = {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly signal: AbortSignal;
};

/** The first address that connects wins; an unresponsive one does not delay the next (RFC 8305). */
function dialAny(dial: Dial, { addresses, port, signal }: DialPlan): Promise<Socket> {
  const queue = dialOrder(addresses);
  const attempts = new Set<AbortController>();
  return new Promise<Socket>((resolve, reject) => {
    let isSettled = false;
    let timer: { stop(): void } | undefined;

    const settle = (finish: () => void) => {
      isSettled = true;
      timer?.stop();
      signal.removeEventListener('abort', onAbort);
      for (const attempt of attempts) attempt.abort();
      finish();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    const dialNext = () => {
      timer?.stop();
      const address = queue.shift();
      if (address === undefined) {
        if (attempts.size === 0) settle(() => reject(new EgressFailure('connect')));
        return;
      }
      const attempt = new AbortController();
      attempts.add(attempt);
      timer = startTimer(nextAddressMs, dialNext);
      dial({ address, port, signal: attempt.signal }).then(
        (socket) => {
          attempts.delete(attempt);
          if (isSettled) socket.destroy();
          else settle(() => resolve(socket));
        },
        () => {
          attempts.delete(attempt);
          if (!isSettled) dialNext();
        },
      );
    };

    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    dialNext();
  });
}

/** Connects to a literal address, with Node's own block list as a second check. */
export function createDial({ allowedNetworks }: ReachPolicy): Dial {
  return ({ address, port, signal }) =>
    new Promise((resolve, reject) => {
      const blockList = isAllowed(address, allowedNetworks)
        ? undefined
        : blockLists[isIPv4(address) ? 4 : 6];
      const socket = connectTcp({
        host: address,
        port,
        signal,
        noDelay: true,
        ...(blockList === undefined ? {} : { blockList }),
      });
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
      socket.once('error', reject);
    });
}

let secureContext: SecureContext | undefined;

/** Reading the certificate authorities costs more than the rest of a handshake. */
function sharedContext(): SecureContext {
  secureContext ??= createSecureContext();
  return secureContext;
}

/**
 * Runs TLS over the checked socket: given an address, `tls.connect` would ignore the block list.
 */
function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const tlsSocket = connectTls({
      socket,
      // The certificate must match this host. Names are also sent as SNI; an IP address must not be
      // (RFC 6066, 3).
      host,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
      rejectUnauthorized: true,
      secureContext: sharedContext(),
    });
    const fail = () => {
      signal.removeEventListener('abort', fail);
      tlsSocket.destroy();
      socket.destroy();
      reject(signal.aborted ? signal.reason : new EgressFailure('tls'));
    };
    tlsSocket.on('error', fail);
    tlsSocket.once('close', fail);
    signal.addEventListener('abort', fail, { once: true });
    tlsSocket.once('secureConnect', () => {
      signal.removeEventListener('abort', fail);
      tlsSocket.off('close', fail);
      resolve(tlsSocket);
    });
    if (signal.aborted) fail();
  });
}
