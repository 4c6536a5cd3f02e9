/**
 * The port that the service listens on. Whether it is free is asked before anything is made, so
 * that a taken port costs nothing; whatever stands in the way is told in one sentence.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { ConfigError } from './config.ts';

export type ListenAddress = { readonly host: string; readonly port: number };

/** The port itself, or, for 0, one that nobody has. */
export async function resolvePort({ host, port }: ListenAddress): Promise<number> {
  const found = await findFreePort({ host, port });
  if (port === 0) return found;
  // By a call. Listening for a moment would tell too, but whom a proxy sends to us in that moment
  // is reset.
  if (await isPortInUse({ host, port })) throw listenError({ host, port }, { code: 'EADDRINUSE' });
  return port;
}

export async function listenOn(
  server: { listen(address: ListenAddress): Promise<unknown> },
  address: ListenAddress,
): Promise<void> {
  try {
    await server.listen(address);
  } catch (error) {
    throw listenError(address, error as Error);
  }
}

/** Tells at the same time whether the host is one of this machine's. */
async function findFreePort({ host, port }: ListenAddress): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(0, host), 'listening');
  } catch (error) {
    throw listenError({ host, port }, error as Error);
  }
  const { port: found } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return found;
}

async function isPortInUse(address: ListenAddress): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function listenError(
  { host, port }: ListenAddress,
  error: { code?: string; message?: string },
): Error {
  const why =
    error.code === 'EADDRINUSE'
      ? `port ${port} on ${host} is taken by another program: stop it, or set PORT`
      : `HOST ${host}, PORT ${port}: cannot listen there (${error.message})`;
  return new ConfigError([why]);
}
