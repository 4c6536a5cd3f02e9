/**
 * Closes connections without a complete request during a shutdown. Node's `closeIdleConnections`
 * leaves those that never sent a byte, or stopped in the middle of the headers, for 15 seconds, and
 * those in the middle of a body for 30.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs, startInterval } from '../../process/clock.ts';
import { isAnswering } from './client-errors.ts';

const checkMs = 50;
/** A client that has just connected may be about to send. */
const newConnectionMs = 100;
/** A client that has begun to send gets a response if it continues. */
const begunRequestMs = 1000;
/** A client that continues, but does not come to an end. */
const sendingMsMax = 5000;

export type Connections = {
  /** Closes silent connections from now on, until stopped. */
  closeSilent(): { stop(): void };
};

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
