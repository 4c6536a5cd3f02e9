/** Runs a hostile receiver on a port of its own and measures the cost of webhooks to it. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { monotonicMs } from '../../../server/clock.ts';
import type { HostileReceiver } from './hostile-receivers.ts';

export type Cost = {
  /** All connections, and the most at the same time. */
  readonly connections: number;
  readonly openMost: number;
  readonly openNow: number;
  /** The longest connection, and the most bytes written to one, kernel buffers included. */
  readonly longestMs: number;
  readonly bytesMost: number;
  /** The different messages: webhook ID and body. */
  readonly messages: readonly string[];
};

export type ReceiverFixture = {
  readonly receiver: HostileReceiver;
  readonly url: string;
  cost(): Cost;
  close(): Promise<void>;
};

export async function openReceiverFixture(receiver: HostileReceiver): Promise<ReceiverFixture> {
  const sockets = new Set<Socket>();
  const messages = new Set<string>();
  let [connections, openMost, longestMs, bytesMost] = [0, 0, 0, 0];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const fromMs = monotonicMs();
    connections += 1;
    sockets.add(socket);
    openMost = Math.max(openMost, sockets.size);
    socket.on('error', () => {});
    // The client has closed the connection; the receiver need not finish.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      longestMs = Math.max(longestMs, monotonicMs() - fromMs);
      bytesMost = Math.max(bytesMost, socket.bytesWritten);
    });
    if (receiver.from === 'connection') receiver.receive(socket);
    readWebhook(socket, (message) => {
      messages.add(message);
      if (receiver.from !== 'connection') receiver.receive(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    receiver,
    url: `${receiver.isSecure ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    cost: () => ({
      connections,
      openMost,
      openNow: sockets.size,
      longestMs,
      bytesMost,
      messages: [...messages],
    }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads to the end, since unread bytes would turn a close into a reset. */
function readWebhook(socket: Socket, onMessage: (message: string) => void): void {
  let received = '';
  let isReported = false;
  socket.on('data', (chunk) => {
    if (isReported) return;
    received += chunk.toString('latin1');
    const [head = '', body] = received.split('\r\n\r\n', 2);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (body === undefined || body.length < length) return;
    isReported = true;
    const id = /\r\nwebhook-id: (\S+)/i.exec(head)?.[1];
    onMessage(`${id} ${Buffer.from(body, 'latin1').toString()}`);
  });
}
