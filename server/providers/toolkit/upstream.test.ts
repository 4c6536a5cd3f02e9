/** A call is answered, unsent or lost, and `unsent` only when no byte can have left. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { registerSecret } from '../../log.ts';
import { createForm } from './multipart.ts';
import { createUpstream, type UpstreamCall, type UpstreamOutcome } from './upstream.ts';

type Setting = {
  readonly server: Server;
  readonly call: (change?: Partial<UpstreamCall>, scheme?: string) => Promise<UpstreamOutcome>;
};

async function withServer(server: Server, run: (setting: Setting) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstreams = new Map(
    ['http', 'https'].map((scheme) => [
      scheme,
      createUpstream({ baseUrl: `${scheme}://127.0.0.1:${port}/base/` }),
    ]),
  );
  try {
    await run({
      server,
      call: (change = {}, scheme = 'http') =>
        upstreams
          .get(scheme)!
          .call({ method: 'POST', path: '/x', body: { a: 1 }, timeoutMs: 30_000, ...change }),
    });
  } finally {
    for (const upstream of upstreams.values()) await upstream.close();
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}

const http = (listener: RequestListener) => createHttpServer(listener);

test('sends JSON to the base address and reads JSON back', () =>
  withServer(
    http(async (request, response) => {
      const chunks = await request.toArray();
      response.setHeader('x-request-id', '7');
      response.end(JSON.stringify({ url: request.url, body: Buffer.concat(chunks).toString() }));
    }),
    async ({ call }) => {
      const response = await call();
      assert.partialDeepStrictEqual(response, {
        kind: 'response',
        status: 200,
        json: { url: '/base/x', body: '{"a":1}' },
      });
      assert.ok(response.kind === 'response' && response.headers['x-request-id'] === '7');
    },
  ));

test('returns a redirect instead of following it', () => {
  const paths: (string | undefined)[] = [];
  return withServer(
    http((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    }),
    async ({ call }) => {
      assert.partialDeepStrictEqual(await call(), { kind: 'response', status: 307 });
      assert.deepEqual(paths, ['/base/x']);
    },
  );
});

test('our own key, quoted in an answer, is not part of what was answered', () => {
  const key = 'ark-key/of+these tests only';
  registerSecret(key);
  const quoting = http((request, response) => {
    const { authorization } = request.headers;
    const body = JSON.stringify({ error: `${authorization} is wrong`, url: 'https://x/?a=b' });
    response.writeHead(401).end(body.replaceAll('/', '\\/'));
  });
  return withServer(quoting, async ({ call }) => {
    const response = await call({ headers: { authorization: `Bearer ${key}` } });
    assert.partialDeepStrictEqual(response, {
      kind: 'response',
      status: 401,
      json: { error: 'Bearer [hidden] is wrong', url: 'https://x/?a=b' },
    });
  });
});

test('a refused connection is proof that nothing was sent', () =>
  withServer(
    http(() => {}),
    async ({ call, server }) => {
      await new Promise((resolve) => server.close(resolve));
      const outcome = await call();
      assert.equal(outcome.kind, 'unsent');
      assert.match((outcome as { detail: string }).detail, /ECONNREFUSED/);
    },
  ));

test('a failed TLS handshake is proof that nothing was sent', () =>
  withServer(
    createTcpServer((socket) => socket.end('this is not TLS\r\n')),
    async ({ call }) => {
      assert.equal((await call({}, 'https')).kind, 'unsent');
    },
  ));

test('a connection cut before any answer is no proof, even if nothing was read', () =>
  withServer(
    createTcpServer((socket) => socket.destroy()),
    async ({ call }) => {
      assert.equal((await call()).kind, 'lost');
    },
  ));

test('a connection cut after the request was read is no proof', () =>
  withServer(
    http((request) => request.socket.destroy()),
    async ({ call }) => {
      assert.equal((await call()).kind, 'lost');
    },
  ));

test('bytes that are no HTTP are no proof', () =>
  withServer(
    createTcpServer((socket) => socket.end('\0\x01 nonsense \r\n\r\n')),
    async ({ call }) => {
      assert.equal((await call()).kind, 'lost');
    },
  ));

test('an answer that never comes ends at the deadline', () =>
  withServer(
    http(() => {}),
    async ({ call }) => {
      const outcome = await call({ timeoutMs: 50 });
      assert.deepEqual(outcome, { kind: 'lost', detail: 'no response in 50 ms' });
    },
  ));

test('an answer that trickles for ever ends at the deadline, its status kept', () =>
  withServer(
    http((_, response) => {
      response.writeHead(400);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    }),
    async ({ call }) => {
      const outcome = await call({ timeoutMs: 1_000 });
      assert.partialDeepStrictEqual(outcome, { kind: 'response', status: 400 });
      assert.ok(outcome.kind === 'response' && outcome.json === undefined);
    },
  ));

test('a body that breaks off or is too long does not undo the status', () =>
  withServer(
    http((request, response) => {
      if (request.url === '/base/cut') {
        response.writeHead(400, { 'content-length': '100' }).write('{"err');
        setImmediate(() => request.socket.destroy());
      } else {
        response.writeHead(400).end(`"${'x'.repeat(9 * 1024 * 1024)}"`);
      }
    }),
    async ({ call }) => {
      for (const path of ['/cut', '/long']) {
        const outcome = await call({ path });
        assert.ok(outcome.kind === 'response' && outcome.status === 400, path);
        assert.equal(outcome.json, undefined);
      }
    },
  ));

test('a caller that gives up is let go at once', () => {
  const giveUp = new AbortController();
  return withServer(
    http(() => giveUp.abort()),
    async ({ call }) => {
      const outcome = await call({ method: 'GET', body: undefined, signal: giveUp.signal });
      assert.equal(outcome.kind, 'lost');
    },
  );
});

test('a caller that gave up before there was a connection has proof that nothing was sent', () =>
  withServer(
    http(() => {}),
    async ({ call }) => {
      const outcome = await call({ method: 'POST', signal: AbortSignal.abort() });
      assert.equal(outcome.kind, 'unsent');
    },
  ));

test('every POST has a connection of its own', () => {
  const ports: (number | undefined)[] = [];
  return withServer(
    http((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('{}');
    }),
    async ({ call }) => {
      for (let count = 0; count < 3; count++) await call();
      assert.equal(new Set(ports).size, 3);
    },
  );
});

test('sends a form with its length', () =>
  withServer(
    http(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const isWhole = Number(request.headers['content-length']) === body.length;
      const type = request.headers['content-type'] ?? '';
      const form = await new Response(body, { headers: { 'content-type': type } }).formData();
      response.end(JSON.stringify({ isWhole, prompt: form.get('prompt') }));
    }),
    async ({ call }) => {
      const form = await createForm([{ name: 'prompt', value: 'a lake' }]);
      const response = await call({ body: undefined, form });
      assert.partialDeepStrictEqual(response, { json: { isWhole: true, prompt: 'a lake' } });
    },
  ));

test('saves what a 200 brings, whole or not at all, and reads any other answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidgen-upstream-'));
  const into = join(folder, 'video');
  const server = http((request, response) => {
    if (request.url?.endsWith('/short')) {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half');
      setImmediate(() => response.destroy());
    } else if (request.url?.endsWith('/missing')) {
      response.writeHead(404).end('{"detail":"gone"}');
    } else response.writeHead(200, { 'content-type': 'video/mp4' }).end('0123456789');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream = createUpstream({ baseUrl: `http://127.0.0.1:${port}` });
  const download = (path: string, bytesMax = 100) =>
    upstream.download({ method: 'GET', path, timeoutMs: 30_000 }, { into, bytesMax });
  try {
    const saved = { kind: 'saved', bytes: 10, contentType: 'video/mp4' };
    assert.deepEqual(await download('/whole'), saved);
    assert.equal(await readFile(into, 'utf8'), '0123456789');
    await rm(into);
    const other = { kind: 'response', status: 404, json: { detail: 'gone' } };
    assert.partialDeepStrictEqual(await download('/missing'), other);
    assert.equal((await download('/short')).kind, 'lost');
    assert.partialDeepStrictEqual(await download('/whole', 9), { detail: 'more than 9 bytes' });
    // Our own disk is not the upstream's: it is thrown, and not a value.
    const nowhere = { into: join(folder, 'missing', 'clip.mp4'), bytesMax: 100 };
    const call = { method: 'GET', path: '/whole', timeoutMs: 30_000 } as const;
    await assert.rejects(upstream.download(call, nowhere), /ENOENT/);
    await assert.rejects(readFile(into), /ENOENT/);
  } finally {
    await upstream.close();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  }
});
