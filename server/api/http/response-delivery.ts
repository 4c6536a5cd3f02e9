/**
 * Notices clients that disconnect before their response is completely written. A written response
 * counts as received, whatever happens to the connection later.
 */
import type { ServerResponse } from 'node:http';
import { startInterval } from '../../process/clock.ts';

/** How often a client that has ended its side of the connection is asked whether it is there. */
const askMs = 100;

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
