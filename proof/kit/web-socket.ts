/** The server's side of a WebSocket (RFC 6455) for fakes: text both ways, close and ping. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export type ServerWebSocket = {
  send(text: string): void;
  /** Breaks the connection without a closing handshake. */
  destroy(): void;
};

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;
/** Appended to the key of the client (RFC 6455, 1.3). */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Completes the handshake. `on.close` is called once, however the connection ends. */
export function acceptWebSocket(
  { headers }: IncomingMessage,
  socket: Duplex,
  on: { message(text: string): void; close(): void },
): ServerWebSocket {
  const key = createHash('sha1').update(`${headers['sec-websocket-key']}${acceptSuffix}`);
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${key.digest('base64')}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let received = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (let frame = readFrame(received); frame; frame = readFrame(received)) {
      received = received.subarray(frame.bytes);
      if (frame.opcode === opcodes.text) on.message(frame.payload.toString());
      if (frame.opcode === opcodes.ping) socket.write(frameOf(opcodes.pong, frame.payload));
      if (frame.opcode === opcodes.close) socket.end(frameOf(opcodes.close, frame.payload));
    }
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', on.close);
  return {
    send: (text) => void socket.write(frameOf(opcodes.text, Buffer.from(text))),
    destroy: () => void socket.destroy(),
  };
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.from([0x80 | opcode, length < 126 ? length : 126]);
  if (length < 126) return Buffer.concat([head, payload]);
  if (length > 0xffff) throw new Error('the fake sends no message of more than 64 KiB');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(length);
  return Buffer.concat([head, size, payload]);
}

/** The first frame of the bytes, unmasked; undefined while it is incomplete. */
function readFrame(bytes: Buffer) {
  if (bytes.length < 6) return undefined;
  const short = bytes[1]! & 0x7f;
  if (short === 127) throw new Error('the fake reads no message of more than 64 KiB');
  const maskAt = short === 126 ? 4 : 2;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = maskAt + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const payload = Buffer.from(bytes.subarray(maskAt + 4, end)).map(
    (byte, index) => byte ^ mask[index % 4]!,
  );
  return { opcode: bytes[0]! & 0x0f, payload: Buffer.from(payload), bytes: end };
}
