/**
 * The port that the service listens on. Whether it is free is asked before anything is made, so
 * that a taken port costs nothing; whatever stands in the way is told in one sentence.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { ConfigTrouble } from './config.ts';

export type Place = { readonly host: string; readonly port: number };

/** The port itself, or, for 0, one that nobody has. */
export async function freePort({ host, port }: Place): Promise<number> {
  const found = await anyPortOn({ host, port });
  if (port === 0) return found;
  // By a call. Listening for a moment would tell too, but whom a proxy sends to us in that moment
  // is reset.
  if (await isAnswered({ host, port })) throw cannotListen({ host, port }, { code: 'EADDRINUSE' });
  return port;
}

export async function listenThere(
  server: { listen(place: Place): Promise<unknown> },
  place: Place,
): Promise<void> {
  try {
    await server.listen(place);
  } catch (error) {
    throw cannotListen(place, error as Error);
  }
}

/** Tells at the same time whether the host is one of this machine's. */
async function anyPortOn({ host, port }: Place): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(0, host), 'listening');
  } catch (error) {
    throw cannotListen({ host, port }, error as Error);
  }
  const { port: found } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return found;
}

async function isAnswered(place: Place): Promise<boolean> {
  const call = connect(place);
  try {
    await once(call, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    call.destroy();
  }
}

function cannotListen({ host, port }: Place, error: { code?: string; message?: string }): Error {
  const why =
    error.code === 'EADDRINUSE'
      ? `port ${port} on ${host} is taken by another program: stop it, or set PORT`
      : `HOST ${host}, PORT ${port}: cannot listen there (${error.message})`;
  return new ConfigTrouble([why]);
}
