/** Collects the body of a request in memory. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../api-error.ts';

/** Of a body that is kept in memory. */
export const textBytesMax = 1024 * 1024;

/** Whether the request announces a body, even an empty one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Throws if it is too large; the rest is then read and dropped, so that the response arrives. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: ApiError) => {
      request.off('data', onData).off('end', onEnd).resume();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > textBytesMax) fail(bodyTooLarge(textBytesMax));
    };
    const onEnd = () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    if (Number(request.headers['content-length'] ?? 0) > textBytesMax) {
      return fail(bodyTooLarge(textBytesMax));
    }
    request.on('data', onData).once('end', onEnd);
    // The client has gone, so that nobody reads the response.
    request.once('error', () => fail(incomplete()));
  });
}

export const bodyTooLarge = (bytesMax: number): ApiError =>
  new ApiError(
    'invalid_request',
    `The body must be at most ${Math.floor(bytesMax / 1024 ** 2)} MiB.`,
  );
const incomplete = () =>
  new ApiError('invalid_request', 'The request was incomplete; send it again.');
