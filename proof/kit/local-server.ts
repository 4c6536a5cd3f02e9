/** HTTP servers on a free port of 127.0.0.1, for the fakes, proxies and receivers of tests. */
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

/** A proxy that loses the response to the first create, after the service has sent it. */
export async function startLosingProxy(
  to: string,
  isCreate: (body: string) => boolean = () => true,
) {
  let creates = 0;
  const server = await startLocalServer(async (incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = await readBody(incoming);
    const sent = new Headers(headers as Record<string, string>);
    for (const own of ['host', 'connection', 'content-length', 'transfer-encoding']) {
      sent.delete(own);
    }
    const answer = await fetch(`${to}${url}`, {
      method,
      headers: sent,
      ...(method === 'POST' ? { body: new Uint8Array(body) } : {}),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (method === 'POST' && isCreate(body.toString()) && ++creates === 1) {
      return void response.destroy();
    }
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(bytes);
  });
  return {
    ...server,
    get creates(): number {
      return creates;
    },
  };
}
