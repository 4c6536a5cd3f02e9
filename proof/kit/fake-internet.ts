/**
 * For a process in its own network namespace: routes every IPv4 and IPv6 address to loopback, and
 * records the addresses at which connections arrive. Nothing leaves the machine.
 */
import { execFileSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { listen } from './fake-network.ts';

export async function openFakeInternet(ports: {
  readonly secure: readonly number[];
  readonly plain: readonly number[];
}) {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  execFileSync('ip', ['route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo']);
  execFileSync('ip', ['-6', 'route', 'add', 'local', '::/0', 'dev', 'lo']);
  let arrivals: string[] = [];
  const onArrival = ({ localAddress = '' }: Socket) =>
    arrivals.push(localAddress.replace(/^::ffff:(?=\d+\.)/, ''));
  const sensor = (isSecure: boolean) => (port: number) =>
    listen(respondOnce, { isSecure, host: '::', port, onArrival });
  const sensors = await Promise.all([
    ...ports.secure.map(sensor(true)),
    ...ports.plain.map(sensor(false)),
  ]);
  return {
    /** Returns the addresses of the connections since the last call. */
    takeArrivals() {
      const batch = arrivals;
      arrivals = [];
      return batch;
    },
    close: async (): Promise<void> => {
      await Promise.all(sensors.map((each) => each.close()));
    },
  };
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
