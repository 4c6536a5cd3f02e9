/**
 * Keeps connections to receivers of webhooks open for their next webhook, and to hosts of results
 * for the next result. A kept connection serves
 * only the same scheme, host and port, and only while its IP address is among those that were just
 * resolved and checked for that host. Kept ones are bounded in number, idle time and age.
 */
import type { Socket } from 'node:net';
import { afterArrivals, monotonicMs, startTimer } from '../process/clock.ts';

/** Each has a socket and the state of its TLS session, about 60 KB. */
const idleMax = 256;
const idlePerTargetDefault = 4;
/**
 * Without a hint of the receiver: less than the 5 s after which common servers close. A webhook
 * that crosses with the close counts as failed, because the receiver may have read it.
 */
const idleMsDefault = 4_000;
const idleMsMax = 60_000;
/** A receiver that closes after the hinted time must not do so while a webhook is on its way. */
const hintMarginMs = 2_000;
/** Certificates are verified again at least this often. */
const ageMsMax = 5 * 60_000;
/** While no connection to a target becomes free, one more is opened at most this often. */
const growMs = 250;
/** How long a webhook waits at most while another one opens a connection to its target. */
const openingMsMax = 5_000;

export type OpenedSocket = {
  readonly socket: Socket;
  readonly address: string;
};

type ConnectionTarget = {
  /** Scheme, host and port. */
  readonly name: string;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
};

export type PooledConnection = {
  readonly socket: Socket;
  /** Called when a response was read to its end, with its `Keep-Alive` header. */
  keep(keepAlive: string | undefined): void;
};

type Connection = OpenedSocket & {
  readonly name: string;
  readonly openedMs: number;
  readonly discard: () => void;
};

type PoolOptions = {
  /** A request for which no kept connection is free opens one, and waits for no other request. */
  readonly opensAtOnce?: boolean;
  readonly idlePerTargetMax?: number;
};

export class ConnectionPool {
  readonly #options: PoolOptions;
  /** Least recently used first. */
  readonly #idle = new Set<Connection>();
  readonly #idleByName = new Map<string, Set<Connection>>();
  /** How many connections to a target are being opened or in use. */
  readonly #busy = new Map<string, number>();
  readonly #opening = new Set<string>();
  readonly #waiting = new Map<string, Set<(mayOpen: boolean) => void>>();
  #isClosed = false;

  constructor(options: PoolOptions = {}) {
    this.#options = options;
  }

  /**
   * Returns a kept connection to one of the addresses, or the one that `open` opens. Connections to
   * a target are opened one after the other: a burst of webhooks to a receiver that responds
   * quickly needs fewer of them than webhooks. A receiver that hangs delays the others of its
   * target by `growMs`, and no other target.
   */
  async acquire(
    target: ConnectionTarget,
    open: () => Promise<OpenedSocket>,
  ): Promise<PooledConnection> {
    const { name, signal } = target;
    for (let mayOpen = false; ; ) {
      signal.throwIfAborted();
      if (this.#findIdle(target)) {
        // The receiver may have closed it meanwhile, which is seen by reading what has arrived.
        await new Promise<void>((resolve) => afterArrivals(resolve));
        const kept = signal.aborted ? undefined : this.#findIdle(target);
        if (kept) return this.#use(kept);
      } else if (mayOpen || this.#options.opensAtOnce || !this.#busy.has(name)) {
        return await this.#open(name, open);
      } else {
        mayOpen = await this.#wait(target);
      }
    }
  }

  /** Closes idle connections; one that is in use closes with its response. */
  close(): void {
    this.#isClosed = true;
    for (const { discard } of this.#idle) discard();
  }

  async #open(name: string, open: () => Promise<OpenedSocket>): Promise<PooledConnection> {
    this.#countBusy(name, 1);
    this.#opening.add(name);
    try {
      const opened = await open();
      const discard = () => {
        this.#remove(connection);
        opened.socket.destroy();
      };
      const connection: Connection = { ...opened, name, openedMs: monotonicMs(), discard };
      opened.socket.once('close', discard);
      return this.#use(connection);
    } finally {
      this.#opening.delete(name);
      this.#countBusy(name, -1);
    }
  }

  /** The connection is busy until it is kept or closes. */
  #use(connection: Connection): PooledConnection {
    const { name, socket } = connection;
    this.#remove(connection);
    this.#countBusy(name, 1);
    const end = () => this.#countBusy(name, -1);
    if (socket.closed) end();
    else socket.once('close', end);
    const keep = (keepAlive: string | undefined) => {
      socket.off('close', end);
      this.#keep(connection, keepAlive);
      end();
    };
    return { socket, keep };
  }

  #countBusy(name: string, change: 1 | -1): void {
    const busy = (this.#busy.get(name) ?? 0) + change;
    if (busy > 0) this.#busy.set(name, busy);
    else this.#busy.delete(name);
    if (change === -1) this.#wakeNext(name, { mayOpen: busy <= 0 });
  }

  #wakeNext(name: string, { mayOpen }: { readonly mayOpen: boolean }): void {
    const [next] = this.#waiting.get(name) ?? [];
    next?.(mayOpen);
  }

  /** Returns whether the webhook is to open a connection if none is free. */
  #wait({ name, signal }: ConnectionTarget): Promise<boolean> {
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    const startedMs = monotonicMs();
    return new Promise((resolve) => {
      const end = (mayOpen: boolean) => {
        timer.stop();
        signal.removeEventListener('abort', onAbort);
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(name);
        resolve(mayOpen);
      };
      const onAbort = () => end(false);
      const onTime = () => {
        if (!waiting.has(end)) return;
        const isOpening = this.#opening.has(name) && monotonicMs() - startedMs < openingMsMax;
        if (isOpening) timer = startTimer(growMs, onTime);
        else end(true);
      };
      // One after the other, also when many begin to wait at once. In a busy process the time is up
      // before the responses that have arrived are read.
      const waitMs = growMs * (waiting.size + 1);
      let timer = startTimer(waitMs, () => afterArrivals(onTime));
      waiting.add(end);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #findIdle({ name, addresses }: ConnectionTarget): Connection | undefined {
    const ofTarget = [...(this.#idleByName.get(name) ?? [])];
    return ofTarget.findLast(({ address }) => addresses.includes(address));
  }

  #keep(connection: Connection, keepAlive: string | undefined): void {
    const { name, socket, openedMs, discard } = connection;
    const idleMs = idleMsOf(keepAlive);
    const isTooOld = monotonicMs() - openedMs > ageMsMax;
    if (this.#isClosed || isTooOld || idleMs <= 0 || !socket.readable || !socket.writable) {
      discard();
      return;
    }
    const ofTarget = this.#idleByName.get(name) ?? new Set();
    const { idlePerTargetMax = idlePerTargetDefault } = this.#options;
    if (ofTarget.size >= idlePerTargetMax) [...ofTarget][0]!.discard();
    else if (this.#idle.size >= idleMax) [...this.#idle][0]!.discard();
    this.#idle.add(connection);
    this.#idleByName.set(name, ofTarget.add(connection));
    // What arrives before the next request is no response to it.
    socket.on('data', discard).on('end', discard).setTimeout(idleMs, discard);
    // An idle connection does not keep the process alive.
    socket.unref();
  }

  #remove(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const { name, socket, discard } = connection;
    const ofTarget = this.#idleByName.get(name);
    ofTarget?.delete(connection);
    if (ofTarget?.size === 0) this.#idleByName.delete(name);
    socket.off('data', discard).off('end', discard).off('timeout', discard).setTimeout(0);
    socket.ref();
  }
}

/** How long a connection may stay idle; 0 or less if it must not be kept. */
function idleMsOf(keepAlive: string | undefined): number {
  const hint = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(keepAlive ?? '')?.[1];
  if (hint === undefined) return idleMsDefault;
  return Math.min(Number(hint) * 1000 - hintMarginMs, idleMsMax);
}
