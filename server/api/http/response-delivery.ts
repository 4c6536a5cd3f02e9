/**
 * Notices that a client did not receive a response: the connection closed before all of it was
 * written, or broke shortly after and before the client's next byte. A client that closes the
 * connection without an error has read the response. Behind a proxy this is about the proxy.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from '../../clock.ts';

/** A reset because of the response arrives after one round trip. */
const graceMs = 5000;

type Written = {
  /** What the client had sent when the response was written. */
  readonly bytesRead: number;
  readonly atMs: number;
  readonly callbacks: (() => void)[];
};

/** The last watched responses by connection. */
const lastWritten = new WeakMap<Socket, Written>();

export function watchDelivery(response: ServerResponse, onUndelivered: () => void): void {
  const { socket } = response.req;
  const onClose = () => {
    if (!response.writableFinished || socket.errored) onUndelivered();
    else if (!socket.destroyed) watchSocket(socket, onUndelivered);
  };
  if (response.closed) onClose();
  else response.once('close', onClose);
}

function watchSocket(socket: Socket, onUndelivered: () => void): void {
  const last = lastWritten.get(socket);
  if (!last) socket.once('close', () => checkLast(socket));
  const { bytesRead } = socket;
  if (last?.bytesRead === bytesRead) last.callbacks.push(onUndelivered);
  else lastWritten.set(socket, { bytesRead, atMs: monotonicMs(), callbacks: [onUndelivered] });
}

function checkLast(socket: Socket): void {
  const { bytesRead, atMs, callbacks } = lastWritten.get(socket)!;
  const isBroken = socket.errored !== null && socket.errored !== undefined;
  if (!isBroken || socket.bytesRead > bytesRead || monotonicMs() - atMs > graceMs) return;
  for (const onUndelivered of callbacks) onUndelivered();
}
