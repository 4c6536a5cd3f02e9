/**
 * Limits what the framing of a chunked message may cost. Every chunk, however small, is one call of
 * the parser: a file sent in chunks of one byte would keep the event loop busy for seconds.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { startInterval } from '../process/clock.ts';

/** Chunks that any message may have, and bytes per chunk beyond them. */
const ofMessage = { chunksFree: 1_024, bytesPerChunkMin: 256 };
/** Of messages that are counted together, also those that are not chunked but arrive so. */
const ofGroup = { chunksFree: 512, bytesPerChunkMin: 512 };
/** Bytes on the wire: twice the payload, and this much for headers and what is read ahead. */
const wireBytesFree = 256 * 1024;
/** How often a message that brings no chunks is checked. */
const checkMs = 250;

/** The chunks of several messages of one sender, counted together. */
export class ChunkAllowance {
  #chunks = 0;
  #bytes = 0;
  /** Whether there were too many: then no more messages should be asked for. */
  isExceeded = false;

  count(bytes: number): void {
    this.#chunks += 1;
    this.#bytes += bytes;
    if (this.#chunks > ofGroup.chunksFree + this.#bytes / ofGroup.bytesPerChunkMin)
      this.isExceeded = true;
  }
}

/** In what is read at once, 64 KiB at most. */
const ofRead = { chunksFree: 256, bytesPerChunkMin: 512 };

/**
 * Ends a connection whose bytes are mostly framing before they are parsed: within what is read at
 * once, which can be 10,000 chunks, the parser cannot be stopped. Call it when the parser listens.
 */
export function refuseFraming(socket: Duplex, onRefused: () => void): void {
  const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
  if (!parse) return;
  socket.off('data', parse).on('data', (bytes: Buffer) => {
    if (isMostlyFraming(bytes)) onRefused();
    // The parser is gone when the response is complete.
    else if ((socket as { readonly parser?: unknown }).parser) parse.call(socket, bytes);
  });
}

/** Counts lines that are nothing but the length of a chunk. */
function isMostlyFraming(bytes: Buffer): boolean {
  const linesMax = ofRead.chunksFree + bytes.length / ofRead.bytesPerChunkMin;
  let lines = 0;
  for (let at = bytes.indexOf('\r\n'); at >= 0; at = bytes.indexOf('\r\n', at)) {
    at += 2;
    const start = at;
    while (isHexDigit(bytes[at])) at += 1;
    if (at > start && (bytes[at] === carriageReturn || bytes[at] === semicolon)) lines += 1;
    if (lines > linesMax) return true;
  }
  return false;
}

const carriageReturn = 0x0d;
const semicolon = 0x3b;

const isHexDigit = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x46) ||
    (byte >= 0x61 && byte <= 0x66));

/**
 * Counts the chunks of a message as they arrive, and calls `onExceeded` once when there are too
 * many for their payload, in the message or in its group. Sender, path and size limits are the
 * caller's.
 */
export function limitChunks(
  message: IncomingMessage,
  onExceeded: () => void,
  group?: ChunkAllowance,
): void {
  if (message.headers['transfer-encoding'] === undefined && !group) return;
  const { socket } = message;
  const bytesBefore = socket.bytesRead;
  let [chunks, payloadBytes, isExceeded] = [0, 0, false];
  const check = () => {
    const wireBytes = socket.bytesRead - bytesBefore;
    const isFine =
      !group?.isExceeded &&
      chunks <= ofMessage.chunksFree + payloadBytes / ofMessage.bytesPerChunkMin &&
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
    if (chunk !== null) {
      group?.count(chunk.length);
      check();
    }
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
