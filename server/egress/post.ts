/**
 * Posts over a kept connection. A short response, as nearly all receivers of webhooks send, is read
 * without the streams of `node:http`, which cost more than the rest of a webhook.
 */
import { monotonicMs, startTimer } from '../process/clock.ts';
import { connect, type Guard, type GuardedConnection } from './connect.ts';
import { EgressFailure, toFailureCode } from './failure.ts';
import {
  type GuardedRequest,
  type HttpConnection,
  headersOf,
  readPrefix,
  sendHttp,
  toText,
} from './guarded-request.ts';
import { RespondingSocket } from './responding-socket.ts';
import { readShortResponse, type ShortResponse } from './short-response.ts';

// An import of `node:http` also loads undici.
const { validateHeaderValue } = process.getBuiltinModule('node:http');

/** How long a receiver that has responded may take to read the rest of the request. */
const finishMsMax = 4_000;

export type Post = GuardedRequest & { readonly body: string; readonly responseBytesMax: number };

export type PostResponse = {
  readonly status: number;
  readonly body: string;
  /** When the status was received, by the monotonic clock. */
  readonly receivedMs: number;
};

/** Throws `EgressFailure`. */
export async function sendPost(guard: Guard, post: Post): Promise<PostResponse> {
  const connection = await connect(guard, post.url, post.signal);
  try {
    const received = await exchange(connection, post);
    const receivedMs = monotonicMs();
    if ('status' in received) {
      return { status: received.status, body: toText(received.body), receivedMs };
    }
    const { status, body } = await sendHttp(received, post);
    return {
      status,
      receivedMs: monotonicMs(),
      body: await readPrefix(body, post.responseBytesMax),
    };
  } catch (error) {
    connection.socket.destroy();
    throw new EgressFailure(toFailureCode(error));
  }
}

/**
 * Sends the request. Returns the response if it is short, otherwise a connection on which the same
 * request is only read: its bytes are not sent again.
 */
function exchange(
  { socket, keep = () => void socket.destroy() }: GuardedConnection,
  post: Post,
): Promise<ShortResponse | HttpConnection> {
  const { signal, responseBytesMax } = post;
  let isWritten = false;
  let onWritten = () => {};
  const destroy = () => void socket.destroy();

  function keepOnceWritten(keepAlive: string | undefined): void {
    if (isWritten) {
      keep(keepAlive);
      return;
    }
    // In a busy process the response may be read before the request is known to be written.
    const timer = startTimer(finishMsMax, destroy);
    socket.once('data', destroy).once('close', timer.stop);
    onWritten = () => {
      timer.stop();
      socket.off('data', destroy).off('close', timer.stop);
      keep(keepAlive);
    };
  }

  return new Promise((resolve, reject) => {
    const stop = () => void socket.destroy(signal.reason);
    const detach = () => {
      signal.removeEventListener('abort', stop);
      socket.off('data', onData).off('close', onClose);
    };
    const onClose = () => {
      detach();
      reject(socket.errored ?? new EgressFailure('closed'));
    };
    const onData = (bytes: Buffer) => {
      detach();
      const response = readShortResponse(bytes, responseBytesMax);
      if (response === null) {
        const rest = new RespondingSocket(socket, bytes);
        resolve({
          socket: rest,
          keep: (keepAlive) => {
            rest.release();
            keepOnceWritten(keepAlive);
          },
        });
        return;
      }
      if (response.isKeptOpen) keepOnceWritten(response.keepAlive);
      else socket.destroy();
      resolve(response);
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.on('data', onData).once('close', onClose);
    socket.write(textOf(post), (error) => {
      if (error) return onClose();
      isWritten = true;
      onWritten();
    });
    if (signal.aborted) stop();
  });
}

/** As `node:http` writes it. */
function textOf(post: Post): string {
  let text = `POST ${post.url.pathname}${post.url.search} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(headersOf(post))) {
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  const length = Buffer.byteLength(post.body);
  return `${text}Connection: keep-alive\r\nContent-Length: ${length}\r\n\r\n${post.body}`;
}
