/**
 * The port of the service. It is checked before anything else is created, so that a port in use has
 * no side effects; every failure is one message.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { ConfigError } from '../config/config.ts';

// An import of `node:http` also loads undici, 11 MB, for names that are not used here.
export const { createServer: createHttpServer, ServerResponse } =
  process.getBuiltinModule('node:http');

type ListenAddress = { readonly host: string; readonly port: number };

/** Returns the port, or a free port for 0. Throws `ConfigError` if it is in use. */
export async function resolvePort({ host, port }: ListenAddress): Promise<number> {
  const found = await findFreePort({ host, port });
  if (port === 0) return found;
  // Checked by connecting. Listening briefly would work too, but would reset connections that a
  // proxy opens meanwhile.
  if (await isPortInUse({ host, port })) throw listenError({ host, port }, { code: 'EADDRINUSE' });
  return port;
}

export async function listenOn(server: Server, address: ListenAddress): Promise<void> {
  try {
    await once(server.listen(address), 'listening');
  } catch (error) {
    throw listenError(address, error as Error);
  }
}

/** Also checks that the host belongs to this machine. */
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
      ? `port ${port} on ${host} is already in use; stop the other process or set PORT`
      : `HOST ${host}, PORT ${port}: cannot listen (${error.message})`;
  return new ConfigError([why]);
}
