/** Collects the body of a request in memory. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../api-error.ts';

/** Of a body that is kept in memory. */
export const textBytesMax = 1024 * 1024;

/** Whether the request announces a body, even an empty one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Of strangers: endpoints that need no credential take small bodies, except callbacks, which are
 * signed over their bytes. All of theirs together are limited, too, because a client may hold a
 * body back until its request times out.
 */
export const strangerLimits = { json: 16 * 1024, callback: textBytesMax, all: 64 * 1024 ** 2 };
let strangersBytes = 0;

type BodyLimits = { readonly bytesMax?: number; readonly isStranger?: boolean };

/** Throws if it is too large; the rest is then read and dropped, so that the response arrives. */
export function readBody(
  request: IncomingMessage,
  { bytesMax = textBytesMax, isStranger = false }: BodyLimits = {},
): Promise<Buffer> {
  let bytes = 0;
  const received = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const fail = (error: ApiError) => {
      request.off('data', onData).off('end', onEnd).resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (isStranger) strangersBytes += chunk.length;
      if (bytes > bytesMax) fail(bodyTooLarge(bytesMax));
      else if (isStranger && strangersBytes > strangerLimits.all) fail(tooManyBodies());
    };
    const onEnd = () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
      return fail(bodyTooLarge(bytesMax));
    }
    request.on('data', onData).once('end', onEnd);
    // The client has gone, so that nobody reads the response.
    request.once('error', () => fail(incomplete()));
  });
  return isStranger
    ? received.finally(() => {
        strangersBytes -= bytes;
      })
    : received;
}

export const bodyTooLarge = (bytesMax: number): ApiError => {
  const isLarge = bytesMax >= 1024 ** 2;
  const figure = Math.floor(bytesMax / (isLarge ? 1024 ** 2 : 1024));
  const limit = `${figure} ${isLarge ? 'MiB' : 'KiB'}`;
  return new ApiError('invalid_request', `The body must be at most ${limit}.`);
};

const busyRetrySeconds = 5;
const tooManyBodies = () =>
  new ApiError(
    'rate_limited',
    `Too many requests are being received at the moment; retry in ${busyRetrySeconds} seconds.`,
    { retryAfter: busyRetrySeconds },
  );
const incomplete = () =>
  new ApiError('invalid_request', 'The request was incomplete; send it again.');
