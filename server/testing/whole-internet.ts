/**
 * Run inside a network namespace of its own: makes every IPv4 and IPv6 address answer on loopback,
 * sends a callback to each hostile address through the real dialler, and prints which addresses a
 * connection arrived at.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createEgress } from '../egress/egress.ts';
import { type DnsRecords, startDnsServer } from './dns-server.ts';
import { listen } from './fake-network.ts';

type HostileUrl = { readonly url: string; readonly dns?: DnsRecords };
const fixture = new URL('../egress/fixtures/hostile-urls.json', import.meta.url);
const urls: HostileUrl[] = JSON.parse(readFileSync(fixture, 'utf8'));

execFileSync('ip', ['link', 'set', 'lo', 'up']);
execFileSync('ip', ['route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo']);
execFileSync('ip', ['-6', 'route', 'add', 'local', '::/0', 'dev', 'lo']);

const reached: string[] = [];
const sensors = await Promise.all(
  [443, 8443, 80].map((port) =>
    listen(
      (socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
      },
      {
        isSecure: port !== 80,
        host: '::',
        port,
        onArrival: ({ localAddress = '' }) => reached.push(localAddress.replace('::ffff:', '')),
      },
    ),
  ),
);

const names = Object.fromEntries(
  urls.flatMap(({ url, dns }) =>
    dns === undefined ? [] : [[new URL(url).hostname.replace(/\.$/, ''), dns]],
  ),
);
const dns = await startDnsServer(names);
const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address] });

const outcomes: Record<string, string> = {};
for (const { url } of urls) {
  const request = { url, headers: {}, body: '{}', deadlineMs: 5_000, answerBytesMax: 0 };
  const posted = await egress.post(request);
  outcomes[url] = posted.outcome === 'failed' ? posted.error : String(posted.status);
}
egress.close();
await Promise.all([dns, ...sensors].map((each) => each.close()));
process.stdout.write(JSON.stringify({ outcomes, reached }));
