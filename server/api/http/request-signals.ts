/** Signals that end the work on a request whose response nobody waits for. */
import type { ServerResponse } from 'node:http';

/**
 * For requests that wait: also closes the connection, as Node does by default, when the client has
 * ended its side. Mostly it has gone, and the connection would be held until the wait is over.
 */
export function endSignal(response: ServerResponse, ends: readonly AbortSignal[]): AbortSignal {
  const { socket } = response.req;
  const end = () => void socket.end();
  const signal = closeSignal(response, ends);
  if (socket.readableEnded) end();
  else {
    socket.once('end', end);
    // Not another listener of the response: with those of a stream, Node would warn of a leak.
    signal.addEventListener('abort', () => socket.off('end', end), { once: true });
  }
  return signal;
}

/** Aborts when the response is closed, or with the first of `ends`. */
export function closeSignal(response: ServerResponse, ends: readonly AbortSignal[]): AbortSignal {
  if (response.destroyed || ends.some(({ aborted }) => aborted)) return AbortSignal.abort();
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const end of ends) end.addEventListener('abort', abort, { once: true });
  response.once('close', () => {
    for (const end of ends) end.removeEventListener('abort', abort);
    abort();
  });
  return controller.signal;
}
