/**
 * Connections: how many there may be, how many requests in progress on each, and how long one may
 * neither take nor send a byte. A client that never reads its responses is cut off.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs, sleep, startInterval } from '../../process/clock.ts';
import { hasPendingBody, isAnswering, responsesInProgress } from './client-errors.ts';

/** Requests that one connection may have in progress; pipelining clients use a few. */
export const requestsPerConnectionMax = 32;
/** Without progress in either direction. Waiting for a handler (`?wait=`) does not count. */
const stallMsMax = 30_000;
/** Without a limit of the process, as on Windows. */
const connectionsDefault = 10_000;
/** Descriptors for everything else: the database, materials, webhooks, modules. */
const reservedDescriptors = 200;

export function limitConnections(server: Server): void {
  server.maxConnections = connectionsMax;
  // At the limit, connections between two requests make room for new ones.
  server.on('drop', () => server.closeIdleConnections());
  server.setTimeout(stallMsMax, (socket) => {
    const isHandling = responsesInProgress(socket) > 0 && !hasPendingBody(socket);
    if (!isHandling || socket.writableLength > 0) socket.destroy();
  });
}

/** Half, because a download needs a descriptor for its file too. */
export const connectionsMaxFor = (descriptors: number | null): number =>
  descriptors === null
    ? connectionsDefault
    : Math.min(
        connectionsDefault,
        Math.max(16, Math.floor((descriptors - reservedDescriptors) / 2)),
      );

/** Null if there is no limit. */
function descriptorLimit(): number | null {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  // Without it, a report resolves the name of every peer.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : null;
}

export const connectionsMax = connectionsMaxFor(descriptorLimit());

const checkMs = 50;
/** A client that has just connected may be about to send. */
const newConnectionMs = 100;
/** A client that has begun to send gets a response if it continues. */
const begunRequestMs = 1000;
/** A client that continues, but does not come to an end. */
const sendingMsMax = 5000;

type Connections = {
  /** Closes silent connections from now on, until stopped. */
  closeSilent(): { stop(): void };
};

/**
 * Closes connections without a complete request during a shutdown. Node's `closeIdleConnections`
 * leaves those that never sent a byte, or stopped in the middle of the headers, for 15 seconds, and
 * those in the middle of a body for 30.
 */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    closeSilent() {
      /** When each socket last received a byte, counted from the first check. */
      const received = new WeakMap<Socket, { readonly bytes: number; readonly atMs: number }>();
      const startedMs = monotonicMs();
      const closeQuiet = (socket: Socket) => {
        const nowMs = monotonicMs();
        const last = received.get(socket);
        const bytes = socket.bytesRead;
        const isSending = last?.bytes !== bytes && nowMs - startedMs < sendingMsMax;
        if (!last || isSending || isAnswering(socket)) {
          received.set(socket, { bytes, atMs: nowMs });
        } else if (nowMs - last.atMs >= (bytes === 0 ? newConnectionMs : begunRequestMs)) {
          socket.destroy();
        }
      };
      return startInterval(checkMs, async () => {
        for (const socket of sockets) closeQuiet(socket);
      });
    },
  };
}

/** New connections may arrive faster than they are accepted: the limit of the wait for a gap. */
const msMax = 5000;
/** A timer may fire before the queue is polled again; the second one does not. */
const quietRounds = 2;

/**
 * Accepts the connections in the system's accept queue before a shutdown. Node accepts one per turn
 * of the event loop, so a busy process has many waiting, some for seconds. Closing the listening
 * socket would reset them, and a proxy may not retry a POST after that.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  const startedMs = monotonicMs();
  let accepted = 0;
  const countConnection = () => {
    accepted += 1;
  };
  server.on('connection', countConnection);
  try {
    for (let quiet = 0; quiet < quietRounds && monotonicMs() - startedMs < msMax; ) {
      const acceptedBefore = accepted;
      await sleep(1);
      quiet = accepted === acceptedBefore ? quiet + 1 : 0;
    }
  } finally {
    server.off('connection', countConnection);
  }
}

/** How often a client that has ended its side of the connection is asked whether it is there. */
const askMs = 100;

/**
 * Notices clients that disconnect before their response is completely written. A written response
 * counts as received, whatever happens to the connection later.
 */
export const isDisconnected = (response: ServerResponse): boolean =>
  response.closed || response.req.socket.destroyed;

/**
 * Calls back if the connection breaks before the response is completely written.
 *
 * A client that has ended its side of the connection may be waiting for the response, as `nc -N`
 * does, or have gone. Only a write tells: a client that has gone resets the connection, and the
 * write after that fails. So it is sent `100 Continue`, which clients must skip (RFC 9110, 15.2),
 * until the response is written. HTTP/1.0 has no interim responses.
 */
export function onUndelivered(response: ServerResponse, callback: () => void): void {
  const { socket, httpVersion } = response.req;
  let asking: { stop(): void } | undefined;
  const ask = () => {
    asking = startInterval(askMs, () => {
      if (!response.headersSent) response.writeContinue();
    });
  };
  const onClose = () => {
    socket.off('end', ask);
    asking?.stop();
    if (!response.writableFinished) callback();
  };
  if (isDisconnected(response)) {
    onClose();
    return;
  }
  response.once('close', onClose);
  if (httpVersion === '1.0') return;
  if (socket.readableEnded) ask();
  else socket.once('end', ask);
}
