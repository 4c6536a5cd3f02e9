/** A call is answered, unsent or lost, and `unsent` only when no byte can have left. */
import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { test } from 'node:test';
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
      const answer = await call();
      assert.partialDeepStrictEqual(answer, {
        kind: 'answered',
        status: 200,
        json: { url: '/base/x', body: '{"a":1}' },
      });
      assert.ok(answer.kind === 'answered' && answer.headers['x-request-id'] === '7');
    },
  ));

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
      assert.deepEqual(outcome, { kind: 'lost', detail: 'no answer in 50 ms' });
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
      assert.partialDeepStrictEqual(outcome, { kind: 'answered', status: 400 });
      assert.ok(outcome.kind === 'answered' && outcome.json === undefined);
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
        assert.ok(outcome.kind === 'answered' && outcome.status === 400, path);
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
