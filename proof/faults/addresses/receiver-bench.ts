/** A hostile receiver on a port of its own, and everything that a call to it was seen to cost. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { elapsedMs } from '../../../server/clock.ts';
import type { HostileReceiver } from './hostile-receivers.ts';

export type Cost = {
  /** Connections in all, and at the same time. */
  readonly connections: number;
  readonly openMost: number;
  readonly openNow: number;
  /** Of one connection: how long it was open, and what was taken of us, kernel buffers included. */
  readonly longestMs: number;
  readonly bytesMost: number;
  /** The different messages: webhook id and body. */
  readonly messages: readonly string[];
};

export type ReceiverBench = {
  readonly receiver: HostileReceiver;
  readonly url: string;
  cost(): Cost;
  close(): Promise<void>;
};

export async function openBench(receiver: HostileReceiver): Promise<ReceiverBench> {
  const sockets = new Set<Socket>();
  const messages = new Set<string>();
  let [connections, openMost, longestMs, bytesMost] = [0, 0, 0, 0];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const fromMs = elapsedMs();
    connections += 1;
    sockets.add(socket);
    openMost = Math.max(openMost, sockets.size);
    socket.on('error', () => {});
    // The caller has gone: what it was waiting for need not be finished.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      longestMs = Math.max(longestMs, elapsedMs() - fromMs);
      bytesMost = Math.max(bytesMost, socket.bytesWritten);
    });
    if (receiver.from === 'connection') receiver.receive(socket);
    onCall(socket, (message) => {
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

/** Reads on to the end in any case: unread bytes would turn our goodbye into a reset. */
function onCall(socket: Socket, tell: (message: string) => void): void {
  let said = '';
  let isTold = false;
  socket.on('data', (chunk) => {
    if (isTold) return;
    said += chunk.toString('latin1');
    const [head = '', body] = said.split('\r\n\r\n', 2);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (body === undefined || body.length < length) return;
    isTold = true;
    const id = /\r\nwebhook-id: (\S+)/i.exec(head)?.[1];
    tell(`${id} ${Buffer.from(body, 'latin1').toString()}`);
  });
}
