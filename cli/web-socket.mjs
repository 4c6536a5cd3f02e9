/**
 * The client's side of a WebSocket (RFC 6455) as a stream of bytes, for Node 18, which has none:
 * the payloads of all messages. Proxies and load balancers pass it on, unlike other upgrades.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';

/** RFC 6455, 1.3. @param {string} key */
export const acceptOf = (key) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

/** The service takes no frames of 64 KiB and more. */
const sentFrameBytes = 32 * 1024;
const frameTypes = { data: 0x82, close: 0x88, ping: 0x89, pong: 0x8a };

export class WebSocketClient extends Duplex {
  /** @param {Duplex} socket @param {Buffer} head bytes that arrived with the response */
  constructor(socket, head) {
    super();
    this.socket = socket;
    this.bytes = Buffer.alloc(0);
    /** Of the last ping, which the service sends every 15 seconds. */
    this.pingedAt = Date.now();
    if (head.length > 0) socket.unshift(head);
    socket.on('data', (/** @type {Buffer} */ chunk) => this.receive(chunk));
    socket.on('error', (error) => this.destroy(error));
    this.isClosed = false;
    for (const event of ['end', 'close'])
      socket.on(event, () => this.isClosed || this.destroy(new Error('the connection broke')));
  }

  /** The service's frames have no mask, and less than 64 KiB. @param {Buffer} chunk */
  receive(chunk) {
    if (this.isClosed) return;
    this.bytes = Buffer.concat([this.bytes, chunk]);
    while (!this.isClosed) {
      const [type, second = 0] = this.bytes;
      const start = second === 126 ? 4 : 2;
      if (this.bytes.length < start) return;
      const end = start + (second === 126 ? this.bytes.readUInt16BE(2) : second);
      if (this.bytes.length < end) return;
      const payload = this.bytes.subarray(start, end);
      this.bytes = this.bytes.subarray(end);
      if (type === frameTypes.close) {
        this.isClosed = true;
        this.push(null);
      } else if (type === frameTypes.ping) {
        this.pingedAt = Date.now();
        this.send(frameTypes.pong, payload);
      } else if (!this.push(payload)) this.socket.pause();
    }
  }

  /** @param {number} type @param {Buffer} payload @param {(error?: Error | null) => void} [done] */
  send(type, payload, done) {
    const mask = randomBytes(4);
    const masked = Buffer.allocUnsafe(payload.length);
    for (let at = 0; at < payload.length; at++) {
      masked[at] = /** @type {number} */ (payload[at]) ^ /** @type {number} */ (mask[at & 3]);
    }
    const bytes = payload.length;
    const length = bytes < 126 ? [0x80 | bytes] : [0xfe, bytes >> 8, bytes & 0xff];
    this.socket.write(Buffer.concat([Buffer.of(type, ...length), mask, masked]), done);
  }

  _read() {
    this.socket.resume();
  }

  /** @param {Buffer} chunk @param {string} _ @param {(error?: Error | null) => void} done */
  _write(chunk, _, done) {
    if (chunk.length === 0) return done();
    for (let at = 0; at < chunk.length; at += sentFrameBytes) {
      const isLast = at + sentFrameBytes >= chunk.length;
      this.send(
        frameTypes.data,
        chunk.subarray(at, at + sentFrameBytes),
        isLast ? done : undefined,
      );
    }
  }

  /** @param {(error?: Error | null) => void} done */
  _final(done) {
    this.send(frameTypes.close, Buffer.of(0x03, 0xe8), done);
  }

  /** @param {Error | null} error @param {(error: Error | null) => void} done */
  _destroy(error, done) {
    this.socket.destroy();
    done(error);
  }
}
