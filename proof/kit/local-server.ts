/** HTTP servers on a free port of 127.0.0.1, for the fakes and receivers of tests. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export type LocalServer = { readonly origin: string; close(): Promise<void> };

export async function startLocalServer(
  serve: RequestListener,
  options: ServerOptions = {},
): Promise<LocalServer> {
  const server = createServer(options, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

/** Closes a server and its connections. Closing it again does nothing. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Rejects when the client breaks off before the end of the body. */
export const readBody = async (request: IncomingMessage): Promise<Buffer> =>
  Buffer.concat(await request.toArray());
