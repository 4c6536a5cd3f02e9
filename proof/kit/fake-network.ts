/**
 * The internet on one machine: a dialer that records each dialed address and connects to a server
 * on 127.0.0.1 instead, with the dialed address as the peer.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Dial } from '../../server/egress/connect.ts';

const fixture = (name: string): URL =>
  new URL(`../../server/egress/fixtures/${name}`, import.meta.url);
export const testAuthorityPath = fixture('test-authority.pem');
const certificate = {
  key: readFileSync(fixture('test-server-key.pem')),
  cert: readFileSync(fixture('test-server.pem')),
};

export type TestListener = Awaited<ReturnType<typeof listen>>;

/** A plain TCP server on loopback; with the test certificate when it is secure. */
export async function listen(
  serve: (socket: Socket) => void,
  { isSecure = false }: { readonly isSecure?: boolean } = {},
) {
  const arrivals: { bytes: number }[] = [];
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    socket.on('error', () => {});
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const server: Server = isSecure ? createTlsServer(certificate, serve) : createServer(serve);
  server.on('connection', (socket: Socket) => {
    const arrival = { bytes: 0 };
    arrivals.push(arrival);
    accept(socket);
    socket.once('close', () => {
      arrival.bytes = socket.bytesRead;
    });
  });
  server.on('secureConnection', accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** All connections so far, with the bytes that each sent. */
    arrivals,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export type FakeNetwork = ReturnType<typeof createFakeNetwork>;

/** The listener on `port` serves every address, unless `peer` or `behavior` says otherwise. */
export function createFakeNetwork(
  port: number,
  options: {
    readonly peer?: (address: string) => string;
    readonly behavior?: (address: string) => 'connect' | 'refuse' | 'silent';
  } = {},
) {
  const dialed: string[] = [];
  const dial: Dial = async ({ address, signal }) => {
    dialed.push(address);
    const behavior = options.behavior?.(address) ?? 'connect';
    if (behavior === 'refuse') throw new Error('connection refused');
    if (behavior === 'silent') {
      await once(signal, 'abort');
      throw new Error('given up');
    }
    const socket = connect({ host: '127.0.0.1', port, signal });
    await once(socket, 'connect');
    Object.defineProperty(socket, 'remoteAddress', { value: options.peer?.(address) ?? address });
    return socket;
  };
  return { dial, dialed };
}

/** Redirects for a path such as `/r/302?to=…`, and responds 200 to everything else. */
export function respondOnce(socket: Socket): void {
  socket.once('data', (chunk) => {
    const [, path = ''] = String(chunk).split(' ');
    const [, status, location = ''] = /^\/r\/(\d+)\?to=(.*)$/.exec(path) ?? [];
    const head = status === undefined ? '200 OK' : `${status} Moved`;
    const field = status === undefined ? '' : `location: ${decodeURIComponent(location)}\r\n`;
    socket.end(`HTTP/1.1 ${head}\r\n${field}content-length: 2\r\n\r\nok`);
  });
}
