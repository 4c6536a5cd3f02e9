import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { type DnsRecords, startDnsServer } from '../../proof/kit/dns-server.ts';
import {
  createFakeNetwork,
  listen,
  respondOnce,
  testAuthorityPath,
} from '../../proof/kit/fake-network.ts';
import { hostileHost, isPublicPerRegistry } from '../../proof/kit/hostile-hosts.ts';
import { makeTemporaryFolder } from '../../proof/kit/temporary-folder.ts';
import type { Dial } from './connect.ts';
import { createEgress, type Egress } from './egress.ts';
import { parseNetworks } from './ip-address.ts';

before(async () => {
  const authority = await readFile(testAuthorityPath, 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), authority]);
});

type HostileUrl = {
  url: string;
  why: string;
  expect: 'accept' | 'reject';
  layer: 'url' | 'connect' | 'response';
  dns?: DnsRecords;
};

const post = (egress: Egress, url: string, deadlineMs = 5_000) =>
  egress.post({ url, headers: {}, body: '{}', deadlineMs, responseBytesMax: 1_000 });

/** A fake internet with the host names of the hostile URLs. */
async function startInternet(t: TestContext) {
  const text = await readFile(new URL('./fixtures/hostile-urls.json', import.meta.url), 'utf8');
  const urls: HostileUrl[] = JSON.parse(text);
  const names: Record<string, DnsRecords> = {};
  for (const { url, dns } of urls) {
    if (dns !== undefined) names[new URL(url).hostname.replace(/\.$/, '')] = dns;
  }
  return { urls, ...(await startNetwork(t, names)) };
}

/** Hosts with these names, all served over TLS by one server. */
async function startNetwork(t: TestContext, names: Record<string, DnsRecords>) {
  const dns = await startDnsServer(names);
  t.after(dns.close);
  const server = await listen(respondOnce, { isSecure: true });
  t.after(server.close);
  const { dial, dialed } = createFakeNetwork(server.port);
  const egress = createEgress({ allowedNetworks: [], resolverServers: [dns.address], dial });
  t.after(egress.close);
  return { egress, dns, dialed };
}

test('callbacks reach no hostile address and every valid one', async (t) => {
  const { urls, egress, dialed } = await startInternet(t);
  for (const { url, why, expect, layer } of urls) {
    const result = await post(egress, url);
    const outcome = result.outcome === 'failed' ? result.error : result.status;
    if (expect === 'accept') assert.equal(outcome, 200, `${why}: ${url}`);
    else if (layer === 'response') assert.match(String(outcome), /^30[237]$/, why);
    // A rebinding name resolves to a valid address first, which is used and resolved only once.
    else if (url.includes('//rebind.')) assert.equal(outcome, 200);
    else assert.equal(outcome, 'refused_address', `${why}: ${url}`);
    // An outcome never reveals what a name resolved to.
    assert.ok(!JSON.stringify(result).includes('10.0.0.5'));
  }
  assert.deepEqual(
    dialed.filter((address) => !isPublicPerRegistry(address)),
    [],
  );
});

test('materials and results reach no hostile address, redirects included', async (t) => {
  const { urls, egress, dialed } = await startInternet(t);
  for (const kind of ['material', 'result'] as const) {
    for (const { url, why, expect, layer } of urls) {
      if (layer === 'url') continue;
      const result = await egress.get({ url, kind, deadlineMs: 5_000, bytesMax: 100 });
      if (result.outcome === 'response') result.discard();
      const outcome = result.outcome === 'failed' ? result.error : result.status;
      const isBaited = url.includes('//rebind.') && kind === 'material';
      const isGood = expect === 'accept' || isBaited;
      assert.equal(outcome, isGood ? 200 : 'refused_address', `${kind}, ${why}: ${url}`);
    }
  }
  assert.deepEqual(
    dialed.filter((address) => !isPublicPerRegistry(address)),
    [],
  );
});

test('no spelling or disguise of an address reaches one that is not public', async (t) => {
  const { egress, dialed } = await startNetwork(t, {});
  let reached = 0;
  const property = fc.asyncProperty(hostileHost, async (host) => {
    await post(egress, `https://${host}/hook`);
    const url = `http://${host}/`;
    const read = await egress.get({ url, kind: 'material', deadlineMs: 5_000, bytesMax: 100 });
    if (read.outcome === 'response') read.discard();
    reached += dialed.length;
    for (const address of dialed.splice(0)) assert.ok(isPublicPerRegistry(address), address);
  });
  await fc.assert(property, { numRuns: 2_000 });
  assert.ok(reached > 0, 'good addresses arrive');
});

test('a name that changes its address is resolved once and rejected the next time', async (t) => {
  const { egress, dns, dialed } = await startInternet(t);
  const url = 'https://rebind.ssrf-lab.net/hook';
  assert.equal((await post(egress, url)).outcome, 'response');
  assert.equal(dns.questions.filter((question) => question === 'rebind.ssrf-lab.net A').length, 1);
  const again = await post(egress, url);
  assert.ok(again.outcome === 'failed' && again.error === 'refused_address');
  assert.deepEqual(dialed, ['93.184.215.14']);
});

test('a certificate must match the requested host', async (t) => {
  const { egress } = await startNetwork(t, {
    'hooks.example.com': { A: ['93.184.215.14'] },
    'other.org': { A: ['93.184.215.14'] },
  });
  const outcome = async (url: string) => {
    const result = await post(egress, url);
    return result.outcome === 'failed' ? result.error : result.status;
  };
  assert.equal(await outcome('https://hooks.example.com./'), 200, 'trailing dot');
  assert.equal(await outcome('https://93.184.215.14/'), 200, 'IPv4 literal');
  assert.equal(await outcome('https://[2606:4700:4700::1111]/'), 200, 'IPv6 literal');
  assert.equal(await outcome('https://other.org/'), 'tls');
  assert.equal(await outcome('https://1.1.1.1/'), 'tls');
  assert.equal(await outcome('https://[2606:4700:4700::1001]/'), 'tls');
});

test('reports a peer that speaks no TLS, aborts it, or never starts it', async (t) => {
  const plain = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const hangingUp = await listen((socket) => socket.once('data', () => socket.destroy()));
  const unresponsive = await listen(() => {});
  const expected = [
    [plain, 'tls'],
    [hangingUp, 'tls'],
    [unresponsive, 'timeout'],
  ] as const;
  for (const [server, error] of expected) {
    t.after(server.close);
    const { dial } = createFakeNetwork(server.port);
    const result = await post(createEgress({ allowedNetworks: [], dial }), 'https://1.1.1.1/', 200);
    assert.equal(result.outcome === 'failed' && result.error, error);
  }
});

test('honors NODE_EXTRA_CA_CERTS and no switch that disables verification', async (t) => {
  const server = await listen(respondOnce, { isSecure: true });
  t.after(server.close);
  const urlOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const script = `
    import { createEgress } from ${urlOf('./egress.ts')};
    import { parseNetworks } from ${urlOf('./ip-address.ts')};
    const egress = createEgress({ allowedNetworks: parseNetworks('127.0.0.1') });
    const url = 'https://localhost:${server.port}/';
    const request = { url, headers: {}, body: '', deadlineMs: 5000, responseBytesMax: 0 };
    const posted = await egress.post(request);
    process.stdout.write(String(posted.status ?? posted.error));`;
  const run = async (env: NodeJS.ProcessEnv) => {
    const command = ['--input-type=module', '--eval', script];
    const options = { env: { PATH: process.env.PATH, ...env } };
    return (await promisify(execFile)(process.execPath, command, options)).stdout;
  };
  const authority = testAuthorityPath.pathname;
  assert.equal(await run({ NODE_EXTRA_CA_CERTS: authority }), '200');
  assert.equal(await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }), 'tls');
  // A proxy from the environment would bypass our address checks.
  const proxy = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:9' };
  assert.equal(await run({ NODE_EXTRA_CA_CERTS: authority, ...proxy }), '200');
});

/** Everything on one machine: loopback is allowed. */
async function startSite(t: TestContext, serve: RequestListener, connectionsPerHostMax = 4) {
  const server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const allowedNetworks = parseNetworks('127.0.0.0/8');
  const egress = createEgress({ allowedNetworks, connectionsPerHostMax });
  t.after(egress.close);
  const url = `http://localhost:${(server.address() as AddressInfo).port}/file`;
  return { egress, url, server };
}

test('a stream yields every byte up to its limit, then reports that there is more', async (t) => {
  const { egress, url } = await startSite(t, (_, response) => response.end('0123456789'));
  const result = await egress.get({ url, kind: 'result', deadlineMs: 5_000, bytesMax: 4 });
  assert.ok(result.outcome === 'response');
  let text = '';
  const read = async () => {
    for await (const chunk of result.stream) text += Buffer.from(chunk).toString();
  };
  await assert.rejects(read(), { code: 'too_large' });
  assert.equal(text, '0123');
});

test('a stream ends at the deadline, on abort and with its connection', async (t) => {
  const { egress, url, server } = await startSite(t, (_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
  });
  const controller = new AbortController();
  const request = { url, kind: 'material', bytesMax: 100, signal: controller.signal } as const;
  const read = async (deadlineMs: number, meanwhile: () => void) => {
    const result = await egress.get({ ...request, deadlineMs });
    assert.ok(result.outcome === 'response');
    for await (const _ of result.stream) meanwhile();
  };
  await assert.rejects(
    read(100, () => {}),
    { code: 'timeout' },
  );
  const hangUp = () => server.closeAllConnections();
  await assert.rejects(read(5_000, hangUp), { code: 'closed' });
  await assert.rejects(
    read(5_000, () => controller.abort()),
    { code: 'cancelled' },
  );
  const late = await egress.get({ ...request, deadlineMs: 5_000 });
  assert.ok(late.outcome === 'failed' && late.error === 'cancelled');
});

test('an unread response is closed by its deadline and reports it when read later', async (t) => {
  const { egress, url, server } = await startSite(t, (_, response) => void response.write('half'));
  const [[socket], result] = await Promise.all([
    once(server, 'connection'),
    egress.get({ url, kind: 'material', deadlineMs: 100, bytesMax: 100 }),
  ]);
  assert.ok(result.outcome === 'response');
  if (!socket.destroyed) await once(socket, 'close');
  await assert.rejects(Array.fromAsync(result.stream), { code: 'timeout' });
});

test('fifty materials on one host use four sockets', async (t) => {
  const { url } = await startSite(t, (_, response) => response.end('x'));
  const network = createFakeNetwork(Number(new URL(url).port));
  let open = 0;
  let openMost = 0;
  const dial: Dial = async (target) => {
    open += 1;
    openMost = Math.max(openMost, open);
    const socket = await network.dial(target);
    return socket.once('close', () => {
      open -= 1;
    });
  };
  const egress = createEgress({ allowedNetworks: [], dial });
  t.after(egress.close);
  const fetchOne = async (_: unknown, index: number) => {
    // Another port is the same host.
    const url = `http://93.184.215.14:${8000 + index}/`;
    const result = await egress.get({ url, kind: 'material', deadlineMs: 5_000, bytesMax: 10 });
    assert.ok(result.outcome === 'response');
    return (await Array.fromAsync(result.stream)).length;
  };
  const lengths = await Promise.all(Array.from({ length: 50 }, fetchOne));
  assert.deepEqual(new Set(lengths), new Set([1]));
  assert.equal(openMost, 4);
});

test('waiting for a slot says so when the time is up, and results need none', async (t) => {
  const { egress, url } = await startSite(t, (_, response) => void response.write('x'), 1);
  const request = { url, bytesMax: 10 };
  const first = await egress.get({ ...request, kind: 'material', deadlineMs: 5_000 });
  const second = await egress.get({ ...request, kind: 'material', deadlineMs: 100 });
  assert.ok(second.outcome === 'failed' && second.error === 'no_slot');
  const result = await egress.get({ ...request, kind: 'result', deadlineMs: 5_000 });
  assert.ok(first.outcome === 'response' && result.outcome === 'response');
  first.discard();
  result.discard();
  const third = await egress.get({ ...request, kind: 'material', deadlineMs: 5_000 });
  assert.ok(third.outcome === 'response', 'a released slot is reused');
  third.discard();
});

test('a download is saved completely or not at all', async (t) => {
  const folder = makeTemporaryFolder('egress');
  const { egress, url } = await startSite(t, (request, response) => {
    const status = Number(request.url?.slice(1)) || 200;
    response.writeHead(status, { 'content-type': 'video/mp4', 'content-length': 5 });
    response.write('vid');
    if (request.url === '/broken') response.destroy();
    else response.end('eo');
  });
  const download = (path: string, bytesMax = 5) =>
    egress.download({
      url: url.replace('/file', path),
      kind: 'result',
      into: join(folder, 'result.mp4'),
      bytesMax,
      deadlineMs: 5_000,
    });
  const code = async (path: string, bytesMax?: number) => {
    const result = await download(path, bytesMax);
    return result.outcome === 'failed' ? result.error : result;
  };
  assert.equal(await code('/file', 4), 'too_large');
  assert.equal(await code('/broken'), 'closed');
  assert.deepEqual(await code('/404'), { outcome: 'response', status: 404 });
  assert.deepEqual(await code('/206'), { outcome: 'response', status: 206 });
  assert.deepEqual(await readdir(folder), []);
  const saved = { outcome: 'saved', bytes: 5, contentType: 'video/mp4' };
  assert.deepEqual(await download('/file'), saved);
  assert.equal(await readFile(join(folder, 'result.mp4'), 'utf8'), 'video');
  const missing = egress.download({
    url,
    kind: 'result',
    into: join(import.meta.filename, 'result.mp4'),
    bytesMax: 5,
    deadlineMs: 5_000,
  });
  await assert.rejects(missing, { code: 'ENOTDIR' }, 'a disk failure is thrown');
});

test('closing cancels requests in progress and all later ones', async (t) => {
  const { egress, url, server } = await startSite(t, () => {});
  const waiting = post(egress, url);
  await once(server, 'request');
  egress.close();
  const first = await waiting;
  const second = await post(egress, url);
  assert.equal(first.outcome === 'failed' && first.error, 'cancelled');
  assert.equal(second.outcome === 'failed' && second.error, 'cancelled');
});
