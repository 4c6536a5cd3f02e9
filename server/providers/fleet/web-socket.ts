/**
 * The service's side of a WebSocket (RFC 6455) as a stream of bytes: the payloads of all messages,
 * whatever their boundaries. A peer that sends nonsense is cut off. One that does not read, or
 * sends faster than we read, is slowed down: a connection holds some 100 KB.
 */
import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import { startTimer } from '../../process/clock.ts';

/** Frames of 64 KiB and more are refused. */
const sentFrameBytes = 32 * 1024;
const controlBytesMax = 125;
const finalBit = 0x80;
const [close, ping, pong] = [8, 9, 10] as const;
/** 1000: normal closure. */
const closeFrame = Buffer.from([finalBit | close, 2, 0x03, 0xe8]);
const pingFrame = Buffer.from([finalBit | ping, 0]);
/** For the last bytes to leave. */
const lingerMs = 5_000;

/** RFC 6455, 1.3. */
const handshakeSalt = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Returns the response to an upgrade; null if the key is not 16 bytes in base64. */
export function handshakeResponse(key: unknown): string | null {
  if (typeof key !== 'string' || !/^[A-Za-z0-9+/]{22}==$/.test(key)) return null;
  const digest = createHash('sha1').update(key + handshakeSalt);
  const headers = [
    ...['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'],
    `Sec-WebSocket-Accept: ${digest.digest('base64')}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n`;
}

export class WebSocketStream extends Duplex {
  /** As that of a socket, for limits on framing. */
  bytesRead = 0;
  readonly #socket: Duplex;
  /** The beginning of a frame that has not arrived completely. */
  #partial = Buffer.alloc(0);
  #isPinged = false;
  #isClosed = false;

  constructor(socket: Duplex) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.destroy(error));
    for (const event of ['end', 'close']) {
      // After its last message, what was not read yet is still there.
      socket.on(event, () => {
        if (!this.#isClosed) this.destroy(new Error('the connection was closed'));
      });
    }
  }

  /** Closes the connection if the last ping was not answered. */
  ping(): void {
    if (this.#isPinged) return void this.destroy(new Error('the peer does not respond'));
    this.#isPinged = true;
    this.#socket.write(pingFrame);
  }

  /** Called by `node:http` at the end of an exchange. */
  destroySoon(): void {
    const timer = startTimer(lingerMs, () => this.destroy());
    this.once('close', timer.stop);
    this.end(() => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: unknown, callback: (error?: Error | null) => void) {
    this.#socket.cork();
    for (let at = 0; at < chunk.length; at += sentFrameBytes) {
      const payload = chunk.subarray(at, at + sentFrameBytes);
      this.#socket.write(dataHeader(payload.length));
      const isLast = at + sentFrameBytes >= chunk.length;
      this.#socket.write(payload, isLast ? callback : () => {});
    }
    this.#socket.uncork();
    if (chunk.length === 0) callback();
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.write(closeFrame, callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }

  /** Moves the payloads together at the start of the bytes: tiny frames cost no more memory. */
  #receive(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.bytesRead += chunk.length;
    const bytes = Buffer.concat([this.#partial, chunk]);
    let [at, kept] = [0, 0];
    while (!this.#isClosed) {
      const frame = readFrame(bytes, at);
      if (frame === 'invalid') return void this.destroy(new Error('not a valid frame'));
      if (frame === 'partial') break;
      const { opcode, mask, start, end } = frame;
      // The payload of a control frame means nothing to us.
      for (let from = start; from < end && opcode < close; from++)
        bytes[kept++] = bytes[from]! ^ mask[(from - start) & 3]!;
      at = end;
      this.#isClosed = opcode === close;
      if (opcode === pong) this.#isPinged = false;
      // Pings of a peer that does not read are dropped.
      if (opcode === ping && this.#socket.writableLength === 0)
        this.#socket.write(Buffer.from([finalBit | pong, 0]));
    }
    this.#partial = Buffer.from(bytes.subarray(at));
    if (kept > 0 && !this.push(bytes.subarray(0, kept))) this.#socket.pause();
    if (this.#isClosed) this.push(null);
  }
}

/** Of an unmasked binary message. */
const dataHeader = (bytes: number): Buffer =>
  Buffer.from([finalBit | 2, ...(bytes < 126 ? [bytes] : [126, bytes >> 8, bytes & 0xff])]);

type Frame = { readonly opcode: number; readonly mask: Buffer; start: number; end: number };

/** `start` and `end` are those of its payload. */
function readFrame(bytes: Buffer, at: number): Frame | 'partial' | 'invalid' {
  if (bytes.length < at + 2) return 'partial';
  const first = bytes[at]!;
  const second = bytes[at + 1]!;
  const opcode = first & 0x0f;
  const isControl = opcode >= close;
  const length = second & 0x7f;
  // Clients mask (RFC 6455, 5.1); reserved bits belong to extensions, and there are none.
  const isKnown = opcode <= 2 || (isControl && opcode <= pong);
  if ((first & 0x70) !== 0 || (second & 0x80) === 0 || !isKnown || length === 127) return 'invalid';
  if (isControl && (length > controlBytesMax || (first & finalBit) === 0)) return 'invalid';
  const start = at + (length === 126 ? 8 : 6);
  if (bytes.length < start) return 'partial';
  const end = start + (length === 126 ? bytes.readUInt16BE(at + 2) : length);
  const mask = Buffer.from(bytes.subarray(start - 4, start));
  return bytes.length < end ? 'partial' : { opcode, mask, start, end };
}
