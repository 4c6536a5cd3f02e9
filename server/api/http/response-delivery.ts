/**
 * Notices that a client did not receive a response: the connection closed before all of it was
 * written, or broke shortly after and before the client's next byte. A client that closes the
 * connection without an error has read the response. Behind a proxy this is about the proxy.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from '../../clock.ts';
import { latestResponse } from './client-errors.ts';

/** A reset because of the response arrives after one round trip. */
const graceMs = 5000;
/** Longer than clients wait between polls. */
const nextRequestMs = 60_000;

export type DeliveryOptions = {
  /**
   * The client starts again if its next request fails. A connection that breaks before that request
   * is complete then counts like a response that was not received.
   */
  readonly expectsRequest?: boolean | undefined;
};

type Watched = DeliveryOptions & {
  readonly response: ServerResponse;
  /** What the client had sent when the response was written. */
  readonly bytesRead: number;
  readonly atMs: number;
  readonly onUndelivered: () => void;
};

/** The watched responses that the client may not have received yet, by connection. */
const watchedBySocket = new WeakMap<Socket, Watched[]>();

export function watchDelivery(
  response: ServerResponse,
  onUndelivered: () => void,
  { expectsRequest }: DeliveryOptions = {},
): void {
  const { socket } = response.req;
  const onClose = () => {
    response.off('close', onClose);
    socket.off('end', onClose);
    if (!response.writableFinished || socket.errored) return onUndelivered();
    if (socket.destroyed) return;
    const { bytesRead } = socket;
    const atMs = monotonicMs();
    watchSocket(socket, { response, bytesRead, atMs, expectsRequest, onUndelivered });
  };
  if (hasClientLeft(response)) onClose();
  else {
    response.once('close', onClose);
    socket.once('end', onClose);
  }
}

/**
 * Whether the client has closed the connection. Its end can be read several turns of the event loop
 * before the response closes, and in between the client may have repeated its request.
 */
export const hasClientLeft = (response: ServerResponse): boolean =>
  response.closed || response.req.socket.readableEnded;

function watchSocket(socket: Socket, watched: Watched): void {
  const earlier = watchedBySocket.get(socket);
  if (!earlier) socket.once('close', () => checkWatched(socket));
  const open = earlier?.filter((one) => !isReceived(socket, one)) ?? [];
  watchedBySocket.set(socket, [...open, watched]);
}

function checkWatched(socket: Socket): void {
  if (!socket.errored) return;
  for (const watched of watchedBySocket.get(socket)!) {
    if (!isReceived(socket, watched)) watched.onUndelivered();
  }
}

function isReceived(
  socket: Socket,
  { response, bytesRead, atMs, expectsRequest }: Watched,
): boolean {
  const isFollowed = expectsRequest
    ? latestResponse(socket) !== response
    : socket.bytesRead > bytesRead;
  return isFollowed || monotonicMs() - atMs > (expectsRequest ? nextRequestMs : graceMs);
}
