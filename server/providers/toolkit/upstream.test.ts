/** A call gets a response, is unsent or is lost; `unsent` only when no byte was sent. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../../proof/kit/fake-network.ts';
import { FakeUpstream, json } from '../../../proof/kit/fake-upstream.ts';
import { readBody, startLocalServer } from '../../../proof/kit/local-server.ts';
import { pluck } from '../../../proof/kit/pluck.ts';
import { makeTemporaryFolder } from '../../../proof/kit/temporary-folder.ts';
import { registerSecret } from '../../telemetry/log.ts';
import { type ClientOptions, createClient } from './client.ts';
import { createForm, type Form } from './multipart.ts';
import { createUpstream, type UpstreamCall } from './upstream.ts';

/** A server of raw bytes and an upstream that calls it. */
async function openTcp(serve: (socket: Socket) => void, scheme = 'http') {
  const { port, close } = await listen(serve);
  const upstream = createUpstream({ baseUrl: `${scheme}://127.0.0.1:${port}/base/` });
  return {
    upstream,
    call: (change: Partial<UpstreamCall> = {}) =>
      upstream.call({ method: 'POST', path: '/x', body: { a: 1 }, timeoutMs: 30_000, ...change }),
    async [Symbol.asyncDispose]() {
      await upstream.close();
      await close();
    },
  };
}

function open(serve: RequestListener) {
  const server = createServer(serve);
  return openTcp((socket) => void server.emit('connection', socket));
}

test('sends JSON to the base URL and reads JSON', async () => {
  await using server = await open(async (request, response) => {
    const body = (await readBody(request)).toString();
    response.setHeader('x-request-id', '7').end(JSON.stringify({ url: request.url, body }));
  });
  const response = await server.call();
  const json = { url: '/base/x', body: '{"a":1}' };
  assert.partialDeepStrictEqual(response, { kind: 'response', status: 200, json });
  assert.ok(response.kind === 'response' && response.headers['x-request-id'] === '7');
});

test('returns a redirect instead of following it', async () => {
  const paths: (string | undefined)[] = [];
  await using server = await open((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  assert.partialDeepStrictEqual(await server.call(), { kind: 'response', status: 307 });
  assert.deepEqual(paths, ['/base/x']);
});

test('hides our own key when a response quotes it', async () => {
  const key = 'ark-key/of+these tests only';
  registerSecret(key);
  await using server = await open(({ headers: { authorization } }, response) => {
    const body = JSON.stringify({ error: `${authorization} is wrong`, url: 'https://x/?a=b' });
    response.writeHead(401).end(body.replaceAll('/', '\\/'));
  });
  const response = await server.call({ headers: { authorization: `Bearer ${key}` } });
  const json = { error: 'Bearer [hidden] is wrong', url: 'https://x/?a=b' };
  assert.partialDeepStrictEqual(response, { kind: 'response', status: 401, json });
});

test('reports a refused connection as unsent', async () => {
  const { origin, close } = await startLocalServer(() => {});
  await close();
  const upstream = createUpstream({ baseUrl: origin });
  const outcome = await upstream.call({ method: 'GET', path: '/x', timeoutMs: 30_000 });
  assert.equal(outcome.kind, 'unsent');
  assert.match((outcome as { detail: string }).detail, /ECONNREFUSED/);
  await upstream.close();
});

const failures = [
  ['a failed TLS handshake', 'unsent', (socket: Socket) => socket.end('no TLS\r\n'), 'https'],
  ['a cut before any response', 'lost', (socket: Socket) => socket.destroy(), 'http'],
  [
    'a cut after the request was read',
    'lost',
    (socket: Socket) => socket.once('data', () => socket.destroy()),
    'http',
  ],
  ['bytes that are not HTTP', 'lost', (socket: Socket) => socket.end('\0 nonsense\r\n'), 'http'],
  [
    'an upgrade',
    'lost',
    (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'http',
  ],
  [
    'many responses before the response',
    'lost',
    (socket: Socket) =>
      socket.write(`${'HTTP/1.1 100 X\r\n\r\n'.repeat(50)}HTTP/1.1 200 X\r\n\r\n`),
    'http',
  ],
] as const;
for (const [what, kind, serve, scheme] of failures) {
  test(`reports ${what} as ${kind}`, async () => {
    await using server = await openTcp(serve, scheme);
    assert.equal((await server.call()).kind, kind);
  });
}

test('reports a call without a response as lost at its timeout', async () => {
  await using server = await open(() => {});
  const outcome = await server.call({ timeoutMs: 1000 });
  assert.deepEqual(outcome, { kind: 'lost', detail: 'no response in 1000 ms' });
});

test('keeps the status of a response whose body never ends', async () => {
  await using server = await open((_, response) => {
    response.writeHead(400);
    const timer = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(timer));
  });
  const outcome = await server.call({ timeoutMs: 1_000 });
  assert.partialDeepStrictEqual(outcome, { kind: 'response', status: 400 });
  assert.ok(outcome.kind === 'response' && outcome.json === undefined);
});

test('keeps the status of a response whose body is incomplete or too long', async () => {
  await using server = await open((request, response) => {
    if (request.url === '/base/long') {
      return void response.writeHead(400).end(`"${'x'.repeat(9 * 1024 * 1024)}"`);
    }
    response.writeHead(400, { 'content-length': '100' }).write('{"err');
    setImmediate(() => request.socket.destroy());
  });
  for (const path of ['/cut', '/long']) {
    const outcome = await server.call({ path });
    assert.ok(outcome.kind === 'response' && outcome.status === 400, path);
    assert.equal(outcome.json, undefined);
  }
});

test('returns at once when the caller aborts', async () => {
  const giveUp = new AbortController();
  await using server = await open(() => giveUp.abort());
  const call = { method: 'GET', body: undefined, signal: giveUp.signal } as const;
  assert.equal((await server.call(call)).kind, 'lost');
});

test('reports a call that was aborted before it connected as unsent', async () => {
  await using server = await open(() => {});
  assert.equal((await server.call({ signal: AbortSignal.abort() })).kind, 'unsent');
});

test('uses a new connection for every POST', async () => {
  const ports = new Set<number | undefined>();
  await using server = await open((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  for (let count = 0; count < 3; count++) await server.call();
  assert.equal(ports.size, 3);
});

test('saves the body of a 200 completely or not at all, and reads other responses', async () => {
  const folder = makeTemporaryFolder('upstream');
  await using server = await open((request, response) => {
    if (request.url?.endsWith('/short')) {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setImmediate(() => response.destroy());
    } else if (request.url?.endsWith('/endless')) {
      response.socket!.write('HTTP/1.1 200 OK\r\n\r\nhalf');
    } else if (request.url?.endsWith('/missing')) {
      response.writeHead(404).end('{"detail":"gone"}');
    } else response.writeHead(200, { 'content-type': 'video/mp4' }).end('0123456789');
  });
  const download = (
    path: string,
    {
      timeoutMs = 30_000,
      ...change
    }: { into?: string; bytesMax?: number; timeoutMs?: number } = {},
  ) =>
    server.upstream.download(
      { method: 'GET', path, timeoutMs },
      { into: join(folder, path), bytesMax: 100, ...change },
    );
  const saved = { kind: 'saved', bytes: 10, contentType: 'video/mp4' };
  assert.deepEqual(await download('/whole'), saved);
  const other = { kind: 'response', status: 404, json: { detail: 'gone' } };
  assert.partialDeepStrictEqual(await download('/missing'), other);
  assert.equal((await download('/short')).kind, 'lost');
  assert.equal((await download('/endless', { timeoutMs: 500 })).kind, 'lost');
  const long = await download('/long', { bytesMax: 9 });
  assert.partialDeepStrictEqual(long, { detail: 'more than 9 bytes' });
  // A failure of the local disk is thrown.
  const nowhere = { into: join(import.meta.filename, 'clip.mp4') };
  await assert.rejects(download('/whole', nowhere), /ENOTDIR/);
  assert.equal(await readFile(join(folder, 'whole'), 'utf8'), '0123456789');
  assert.deepEqual(await readdir(folder), ['whole']);
});

class Echo extends FakeUpstream<'any'> {
  protected override operationOf = () => 'any' as const;
  protected override rejection = () => null;
  protected override work = () => json(200, {});
}

async function withClient(
  run: (client: ReturnType<typeof createClient>, upstream: Echo) => Promise<void>,
  change: Partial<ClientOptions> = {},
): Promise<void> {
  await using upstream = await Echo.start();
  const client = createClient({ baseUrl: `${upstream.origin}/v1/`, apiKey: () => '', ...change });
  await run(client, upstream);
  await client.close();
}

test('sends the current key with every call, and no header without a key', () => {
  let key = '';
  return withClient(
    async (client, { requests }) => {
      await client.read('/one');
      key = 'rotated';
      await client.read('/two', { method: 'POST' });
      await client.call('PUT', '/three', { headers: { 'x-extra': '1' } });
      assert.deepEqual(
        requests.map(({ method, path, headers }) => [method, path, headers.authorization]),
        [
          ['GET', '/v1/one', undefined],
          ['POST', '/v1/two', 'Bearer rotated'],
          ['PUT', '/v1/three', 'Bearer rotated'],
        ],
      );
      assert.equal(requests[2]!.headers['x-extra'], '1');
    },
    { apiKey: () => key, getPerSecond: 1_000 },
  );
});

test('downloads from the configured host only', async () => {
  const folder = makeTemporaryFolder('client');
  await withClient(async (client, { origin, requests }) => {
    const { signal } = new AbortController();
    const options = { into: join(folder, 'file'), bytesMax: 100, signal };
    for (const target of ['/files/1', `${origin}/other/2`]) {
      assert.equal((await client.save(target, options)).kind, 'saved');
    }
    assert.deepEqual(pluck(requests, 'path'), ['/v1/files/1', '/other/2']);
    await assert.rejects(
      () => client.save('https://evil.example.test/3', options),
      /configured host/,
    );
    assert.equal(client.resolveOnHost('/files/4'), `${origin}/files/4`);
    for (const other of ['https://evil.example.test/5', '//evil.example.test/6', 'http://[']) {
      assert.equal(client.resolveOnHost(other), null, other);
    }
  });
});

const folder = makeTemporaryFolder('form');

/** Parses with an independent implementation. */
async function readBack(form: Form): Promise<FormData> {
  const body = Buffer.concat(await form.open().toArray());
  assert.equal(body.length, form.bytes);
  return await new Response(body, { headers: { 'content-type': form.contentType } }).formData();
}

test('fields and files are read back unchanged', async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
  const file = join(folder, 'image');
  await writeFile(file, bytes);
  const empty = join(folder, 'empty');
  await writeFile(empty, '');
  const form = await createForm([
    { name: 'prompt', value: 'A "quoted" line\r\nand another — 雪' },
    { name: 'image', file, fileName: 'a.png', contentType: 'image/png' },
    { name: 'nothing', file: empty, fileName: 'empty.bin', contentType: 'text/plain' },
  ]);
  const read = await readBack(form);
  assert.equal(read.get('prompt'), 'A "quoted" line\r\nand another — 雪');
  const image = read.get('image') as File;
  assert.deepEqual([image.name, image.type, image.size], ['a.png', 'image/png', 70_000]);
  assert.ok(Buffer.from(await image.arrayBuffer()).equals(bytes));
  assert.equal((read.get('nothing') as File).size, 0);
});

test('no name can end its line and add a header', async () => {
  const file = join(folder, 'plain');
  await writeFile(file, 'x');
  const fileName = 'a"\r\ncontent-type: text/html\r\n\r\nb';
  const form = await createForm([
    { name: 'file', file, fileName, contentType: 'image/png\r\nx: y' },
  ]);
  const text = Buffer.concat(await form.open().toArray()).toString();
  assert.equal(text.match(/content-type/gi)?.length, 2, text);
  assert.ok(!text.includes('\r\nx: y'), text);
});
