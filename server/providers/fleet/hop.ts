/**
 * Connections between the processes of one installation: one that needs a GPU box asks the process
 * that holds its connections. Only processes that know the installation's secret can.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, isIP, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startDeadline, unixSeconds } from '../../process/clock.ts';

/** For the request, and for the box to answer. */
const answerMs = 8_000;
const clockSecondsMax = 60;
const connectedByte = 1;

const signature = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(`hop ${text}`).digest('hex');

/** Listens at a free port for the other processes, and opens boxes for them. */
export async function openHopServer(
  { key, host }: { readonly key: Buffer; readonly host: string },
  open: (box: string) => Promise<Duplex>,
): Promise<{ readonly server: Server; readonly address: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    void serve(socket, { key, open }).catch(() => socket.destroy());
  });
  server.maxConnections = 1_000;
  await once(server.listen(0, host), 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { server, address: `${reachableHost(host)}|${port}` };
}

/** Where other machines of the network reach this one. */
function reachableHost(host: string): string {
  const isAny = ['0.0.0.0', '::'].includes(host);
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && (host === '::' || family === 'IPv4'));
  return isAny ? (outside?.address ?? '127.0.0.1') : host;
}

async function serve(
  socket: Socket,
  { key, open }: { key: Buffer; open: (box: string) => Promise<Duplex> },
): Promise<void> {
  using deadline = startDeadline(answerMs);
  deadline.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  // It is sent at once, in less than any packet.
  await once(socket, 'readable');
  const [box = '', seconds = '', given = ''] = String(socket.read()).split(' ');
  const expected = signature(key, `${box} ${seconds}`);
  const isOurs =
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  if (!isOurs || Math.abs(unixSeconds() - Number(seconds)) > clockSecondsMax) {
    return void socket.destroy();
  }
  const stream = await open(box);
  deadline[Symbol.dispose]();
  if (socket.destroyed) return void stream.destroy();
  socket.write(Buffer.of(connectedByte));
  await pipeline(socket, stream, socket);
}

/** Throws if the process is not there, or cannot open the box: then nothing was sent. */
export async function openThrough(address: string, key: Buffer, box: string): Promise<Duplex> {
  const [host = '', port] = address.split('|');
  // A name in the database could point anywhere.
  if (isIP(host) === 0 && host !== 'localhost') throw new Error(`${host} is not an IP address`);
  const socket = connect({ host, port: Number(port) });
  using deadline = startDeadline(answerMs);
  const { signal } = deadline;
  try {
    await once(socket, 'connect', { signal });
    const text = `${box} ${unixSeconds()}`;
    socket.write(`${text} ${signature(key, text)}`);
    await once(socket, 'readable', { signal });
    const answer: Buffer | null = socket.read(1);
    if (answer?.[0] !== connectedByte) throw new Error(`the GPU box ${box} does not respond`);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
