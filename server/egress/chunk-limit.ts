/**
 * Limits what the framing of a chunked message may cost. Every chunk, however small, is one call of
 * the parser: a file sent in chunks of one byte would keep the event loop busy for seconds.
 */
import type { IncomingMessage } from 'node:http';
import { startInterval } from '../clock.ts';

/** Chunks that any message may have, and bytes per chunk beyond them. */
const chunksFree = 4_096;
const bytesPerChunkMin = 256;
/** Bytes on the wire: twice the payload, and this much for headers and what is read ahead. */
const wireBytesFree = 256 * 1024;
/** How often a message that brings no chunks is checked. */
const checkMs = 250;

/**
 * Counts the chunks of a message as they arrive, and calls `onExceeded` once when there are too
 * many for their payload. Sender, path and size limits are the caller's.
 */
export function limitChunks(message: IncomingMessage, onExceeded: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return;
  const { socket } = message;
  const bytesBefore = socket.bytesRead;
  let [chunks, payloadBytes, isExceeded] = [0, 0, false];
  const check = () => {
    const wireBytes = socket.bytesRead - bytesBefore;
    const isFine =
      chunks <= chunksFree + payloadBytes / bytesPerChunkMin &&
      wireBytes <= wireBytesFree + 2 * payloadBytes;
    if (isFine || isExceeded) return;
    isExceeded = true;
    onExceeded();
  };
  // The parser calls `push` for every chunk. A `data` listener would start the flow.
  const push = message.push.bind(message);
  message.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    chunks += 1;
    payloadBytes += chunk?.length ?? 0;
    if (chunk !== null) check();
    return push(chunk, encoding);
  };
  // Also without a chunk: its length can have any number of leading zeros. A `data` listener on the
  // socket would make Node allocate the memory of every read anew, 64 KiB each.
  const timer = startInterval(checkMs, () => {
    if (message.complete || socket.destroyed) timer.stop();
    else check();
  });
  message.once('close', () => timer.stop());
}
