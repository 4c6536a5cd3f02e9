/** What a peer can cost us by its framing alone: calls of the parser, counted, not timed. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { listen } from '../../proof/kit/fake-network.ts';
import { createEgress } from './egress.ts';
import { parseNetworks } from './ip-address.ts';

const egress = createEgress({ allowedNetworks: parseNetworks('127.0.0.0/8') });
after(() => egress.close());

const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunkOf = (payload: string): string => `${payload.length.toString(16)}\r\n${payload}\r\n`;

/** Reads a material and returns how it ended and the payload bytes that arrived. */
async function read(send: (socket: Socket) => void): Promise<{ end: string; bytes: number }> {
  const server = await listen((socket) => socket.once('data', () => send(socket)));
  const url = `http://127.0.0.1:${server.port}/video.mp4`;
  const result = await egress.get({ url, kind: 'material', deadlineMs: 60_000, bytesMax: 2e8 });
  assert.equal(result.outcome, 'response');
  let bytes = 0;
  try {
    for await (const chunk of result.stream) bytes += chunk.length;
    return { end: 'complete', bytes };
  } catch (error) {
    return { end: (error as { code: string }).code, bytes };
  } finally {
    result.discard();
    await server.close();
  }
}

test('a file in chunks of one byte is given up after some hundred of them', async () => {
  const { end, bytes } = await read((socket) => {
    socket.write(head);
    socket.end(`${chunkOf('x').repeat(1_000_000)}0\r\n\r\n`);
  });
  assert.equal(end, 'protocol');
  assert.ok(bytes < 3_000, `${bytes} chunks were read`);
});

test('a chunk length with endless zeros is given up', async () => {
  const { end, bytes } = await read((socket) => {
    socket.write(`${head}${chunkOf('x')}`);
    const zeros = Buffer.alloc(1024 ** 2, '0');
    for (let sent = 0; sent < 20; sent += 1) socket.write(zeros);
  });
  assert.deepEqual([end, bytes], ['protocol', 1]);
});

test('ordinary chunks are read to the end, small ones too', async () => {
  const whole = await read((socket) => {
    socket.write(head);
    socket.end(`${chunkOf('x'.repeat(1_400)).repeat(5_000)}0\r\n\r\n`);
  });
  assert.deepEqual(whole, { end: 'complete', bytes: 7_000_000 });
  const small = await read((socket) => {
    socket.write(head);
    socket.end(`${chunkOf('x').repeat(1_000)}0\r\n\r\n`);
  });
  assert.deepEqual(small, { end: 'complete', bytes: 1_000 });
});
