/** A call gets a response, is unsent or is lost; `unsent` only when no byte was sent. */
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
const tcp = (listener: (socket: Socket) => void) => createTcpServer(listener);

test('sends JSON to the base URL and reads JSON', () =>
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

test('hides our own key when a response quotes it', () => {
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

test('reports a refused connection as unsent', () =>
  withServer(
    http(() => {}),
    async ({ call, server }) => {
      await new Promise((resolve) => server.close(resolve));
      const outcome = await call();
      assert.equal(outcome.kind, 'unsent');
      assert.match((outcome as { detail: string }).detail, /ECONNREFUSED/);
    },
  ));

const failures: readonly (readonly [what: string, 'unsent' | 'lost', Server, scheme: string])[] = [
  ['a failed TLS handshake', 'unsent', tcp((socket) => socket.end('no TLS\r\n')), 'https'],
  ['a cut before any response', 'lost', tcp((socket) => socket.destroy()), 'http'],
  ['a cut after the request was read', 'lost', http(({ socket }) => socket.destroy()), 'http'],
  ['bytes that are not HTTP', 'lost', tcp((socket) => socket.end('\0 nonsense \r\n\r\n')), 'http'],
];
for (const [what, kind, server, scheme] of failures) {
  test(`reports ${what} as ${kind}`, () =>
    withServer(server, async ({ call }) => assert.equal((await call({}, scheme)).kind, kind)));
}

test('reports a call without a response as lost at its timeout', () =>
  withServer(
    http(() => {}),
    async ({ call }) => {
      const outcome = await call({ timeoutMs: 50 });
      assert.deepEqual(outcome, { kind: 'lost', detail: 'no response in 50 ms' });
    },
  ));

test('keeps the status of a response whose body never ends', () =>
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

test('keeps the status of a response whose body is incomplete or too long', () =>
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

test('returns at once when the caller aborts', () => {
  const giveUp = new AbortController();
  return withServer(
    http(() => giveUp.abort()),
    async ({ call }) => {
      const outcome = await call({ method: 'GET', body: undefined, signal: giveUp.signal });
      assert.equal(outcome.kind, 'lost');
    },
  );
});

test('reports a call that was aborted before it connected as unsent', () =>
  withServer(
    http(() => {}),
    async ({ call }) => {
      const outcome = await call({ method: 'POST', signal: AbortSignal.abort() });
      assert.equal(outcome.kind, 'unsent');
    },
  ));

test('uses a new connection for every POST', () => {
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

test('saves the body of a 200 completely or not at all, and reads other responses', async () => {
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
    // A failure of the local disk is thrown.
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
