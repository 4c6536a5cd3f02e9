import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createFakeNetwork } from '../../proof/kit/fake-network.ts';
import { createEgress, type Egress, type GetResult } from './egress.ts';

let requests: { host: string; path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
/** Addresses dialed since the test began. */
let dialed: readonly string[];

/** `/to/<status>?<url>` redirects there; every other path returns a final response. */
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', `http://${request.headers.host}`);
  requests.push({ host: url.host, path: url.pathname, headers: request.headers });
  const status = Number(/^\/to\/(\d+)/.exec(url.pathname)?.[1] ?? 200);
  const location = decodeURIComponent(url.search.slice(1)).replace(
    /^(http.*)LONG$/,
    `$1${'a'.repeat(2_048)}`,
  );
  if (status === 200) return void response.end('the end');
  response.writeHead(status, location === '' ? {} : { location }).end('moved');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => server.close());

function start(): Egress {
  const network = createFakeNetwork((server.address() as AddressInfo).port);
  requests = [];
  dialed = network.dialed;
  return createEgress({ allowedNetworks: [], dial: network.dial });
}

async function get(url: string, headers: Record<string, string> = {}): Promise<GetResult> {
  const egress = start();
  const result = await egress.get({
    url,
    kind: 'material',
    headers,
    deadlineMs: 5_000,
    bytesMax: 1_000,
  });
  if (result.outcome === 'response') result.discard();
  egress.close();
  return result;
}

const code = (result: GetResult) => (result.outcome === 'failed' ? result.error : result.status);
const to = (location: string, status = 302) => `/to/${status}?${encodeURIComponent(location)}`;
const site = 'http://93.184.215.14';

test('follows up to three redirects of every kind and returns the final URL', async () => {
  const three = to(to(to('/end', 308), 307), 301);
  const result = await get(site + three);
  assert.ok(result.outcome === 'response' && result.status === 200);
  assert.equal(result.url, `${site}/end`);
  assert.equal(code(await get(site + to(three, 303))), 'redirects');
  assert.equal(requests.length, 4);
});

test('follows a URL in raw UTF-8 as browsers do', async () => {
  const result = await get(site + to(Buffer.from('/über').toString('latin1')));
  assert.equal(result.outcome === 'response' && result.url, `${site}/%C3%BCber`);
});

test('returns a redirect without a location and rejects one that is not a URL', async () => {
  assert.equal(code(await get(`${site}/to/302?`)), 302);
  assert.equal(code(await get(`${site}/to/304?${encodeURIComponent('/end')}`)), 304);
  assert.equal(code(await get(site + to('http://['))), 'protocol');
});

test('checks every hop like the first', async () => {
  const hostile = ['http://127.0.0.1/', 'https://169.254.169.254/latest', 'http://0x7f.1/'];
  hostile.push('http://localhost/', '//10.0.0.1/', '\\\\10.0.0.1\\', 'http://[::ffff:7f00:1]/');
  hostile.push('file:///etc/passwd', 'http://u:p@1.1.1.1/', 'http://1.1.1.1:6379/', 'data:,x');
  hostile.push('http://metadata.google.internal/', 'http://1.1.1.1/LONG');
  for (const location of hostile) {
    assert.equal(code(await get(site + to(location))), 'refused_address', location);
    assert.equal(code(await get(site + to(to(location)))), 'refused_address', `later: ${location}`);
    assert.deepEqual(dialed, ['93.184.215.14', '93.184.215.14']);
  }
});

test('keeps secrets from another origin and still sends it the range', async () => {
  const headers = { authorization: 'Bearer secret', cookie: 'a=b', range: 'bytes=0-9' };
  await get(site + to('/end'), headers);
  assert.equal(requests[1]?.headers.authorization, 'Bearer secret');
  await get(site + to('http://93.184.215.14:8080/end'), headers);
  assert.equal(requests[1]?.headers.authorization, undefined);
  assert.equal(requests[1]?.headers.cookie, undefined);
  assert.equal(requests[1]?.headers.range, 'bytes=0-9');
});
