/**
 * What a token of a GPU box can do, and cannot: it reaches its own name, a limited number of
 * connections and the paths of one engine, and nonsense costs one connection.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { duplexPair, PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { tunnelVersion } from '../../../cli/tunnel.mjs';
import { connectBox, createBox, isConnected } from '../../../proof/kit/gpu-box.ts';
import { commitMeanwhile } from '../../../proof/kit/held-transaction.ts';
import { startLocalServer } from '../../../proof/kit/local-server.ts';
import { useService } from '../../../proof/kit/service.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { version } from '../../config/version.ts';
import { createLog } from '../../telemetry/log.ts';
import { createUpstream } from '../toolkit/upstream.ts';
import { Fleet } from './fleet.ts';
import { connectionsPerBoxMax } from './held-boxes.ts';
import { recordConnected } from './store.ts';

const service = await useService();
const { fleet } = service.parts;
const attempts = process.env.VIDGEN_TEST_THOROUGH ? 10_000 : 500;
const reached: string[] = [];
const engine = await startLocalServer((incoming, response) => {
  reached.push(`${incoming.method} ${incoming.url}`);
  response.end('{"id":"video_1"}');
});
const engineUrl = engine.origin;

type Dialed = { readonly status: number; readonly body: string; readonly socket?: Socket };

/** Connects as the program does, with a token and other headers. */
async function dial(token: string, change: Record<string, string> = {}): Promise<Dialed> {
  const sent = request(`${service.url}/fleet/v1/connect`, {
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': Buffer.alloc(16, 7).toString('base64'),
      'vidgen-engine': 'comfyui',
      'vidgen-slots': '1',
      'vidgen-version': tunnelVersion,
      'vidgen-instance': 'one',
      ...change,
    },
  }).end();
  const upgraded = once(sent, 'upgrade').then(([, socket]) => ({
    status: 101,
    body: '',
    socket: socket as Socket,
  }));
  const declined = once(sent, 'response').then(async ([response]: IncomingMessage[]) => {
    let body = '';
    for await (const chunk of response!.setEncoding('utf8')) body += chunk;
    return { status: response!.statusCode!, body };
  });
  return await Promise.race([upgraded, declined]);
}

/** A masked frame, with a mask of zeros. */
const frame = (type: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.of(type, 0x80 | payload.length, 0, 0, 0, 0), payload]);

after(() => engine.close());

test('refuses unknown tokens, other versions, a second machine and other requests', async () => {
  assert.equal(tunnelVersion, version, 'the program is released with the service');
  const token = await createBox(service, { name: 'first', kind: 'comfyui', engineUrl });
  const expected: readonly (readonly [string, Record<string, string>, number, RegExp])[] = [
    [`${token.slice(0, -1)}!`, {}, 401, /unknown or revoked/],
    [`vgbox_${'a'.repeat(43)}`, {}, 401, /unknown or revoked/],
    [token, { 'vidgen-version': '1.0.0' }, 426, /vidgen worker 1\.0\.0 .* curl .*\/vidgen\.mjs/],
    [token, { 'vidgen-slots': '65' }, 400, /vidgen-slots/],
    [token, { 'sec-websocket-key': 'short' }, 426, /WebSocket/],
    [token, { upgrade: 'h2c' }, 426, /WebSocket/],
  ];
  for (const [given, change, status, message] of expected) {
    const declined = await dial(given, change);
    assert.deepEqual([declined.status, message.test(declined.body)], [status, true], declined.body);
  }
  const { socket } = await dial(token);
  const second = await dial(token, { 'vidgen-instance': 'two' });
  assert.equal(second.status, 409, second.body);
  socket!.destroy();
  await waitUntil(async () => (await dial(token, { 'vidgen-instance': 'two' })).status === 101);
});

test('closes the connections of a revoked box at once, and refuses its token', async () => {
  const options = { name: 'revoked', kind: 'comfyui', engineUrl } as const;
  const token = await createBox(service, options);
  const { socket } = await dial(token);
  const closed = once(socket!.resume(), 'close');
  assert.equal((await service.admin.send('DELETE', '/admin/workers/revoked')).status, 204);
  await closed;
  assert.equal((await dial(token)).status, 401);
  await assert.rejects(fleet.open('revoked'), /not connected/);
});

test('waits for a box that is between two connections', async () => {
  const token = await createBox(service, { name: 'between', kind: 'comfyui', engineUrl });
  const report = { engine: 'comfyui', slots: 1, version: tunnelVersion, instance: 'one' };
  assert.equal(await fleet.admit('between', report), null);
  for (const _ of ['admitted', 'its only connection has been used']) {
    const opened = fleet.open('between');
    const { socket } = await dial(token);
    socket!.write(frame(0x82, Buffer.of(1)));
    const stream = await opened;
    await once(stream.destroy(), 'close');
  }
  await assert.rejects(fleet.open('between'), /not connected/);
});

test('serves one of two machines that connect with a token at the same time', async () => {
  await createBox(service, { name: 'twins', kind: 'comfyui', engineUrl });
  const report = { engine: 'comfyui', slots: 1, version: tunnelVersion, instance: 'one' };
  const other = { ...report, instance: 'two' };
  const sockets = { first: new PassThrough(), second: new PassThrough() };
  assert.equal(await fleet.admit('twins', report), null);
  assert.equal(await fleet.admit('twins', other), null);
  fleet.add('twins', report, sockets.first);
  fleet.add('twins', other, sockets.second);
  assert.deepEqual([sockets.first.destroyed, sockets.second.destroyed], [true, false]);
  assert.equal(await fleet.admit('twins', report), 'in-use');
  sockets.second.destroy();
});

test('serves one of two machines that connect with a token to two processes', async () => {
  await createBox(service, { name: 'cloned', kind: 'comfyui', engineUrl });
  const report = { engine: 'comfyui', slots: 1, version: tunnelVersion, instance: 'one' };
  const place = { name: 'cloned', address: '127.0.0.1:1' };
  const second = await commitMeanwhile(
    service.db,
    (tx) => recordConnected(tx, place, report),
    () => fleet.admit('cloned', { ...report, instance: 'two' }),
  );
  assert.equal(second, 'in-use');
});

test('a request goes to another process when the connections of its own have ended', async () => {
  await createBox(service, { name: 'moved', kind: 'comfyui', engineUrl });
  const report = { engine: 'comfyui', slots: 1, version: tunnelVersion, instance: 'one' };
  const options = { db: service.db, log: createLog('silent'), key: Buffer.alloc(32) };
  const here = new Fleet({ ...options, host: '127.0.0.1' });
  const there = new Fleet({ ...options, host: '127.0.0.1' });
  for (const process of [here, there]) assert.equal(await process.admit('moved', report), null);
  await here.refresh();
  const [box, socket] = duplexPair();
  there.add('moved', report, socket);
  box.once('data', () => box.write(frame(0x82, Buffer.of(1))));
  const stream = await here.open('moved');
  stream.destroy();
  await Promise.all([here.close(), there.close()]);
});

test('a token serves its own name only, and its engine only on its paths', async () => {
  const box = await connectBox(service, { name: 'paths', kind: 'openai-videos', engineUrl });
  const upstream = createUpstream({
    baseUrl: 'http://paths.box.invalid',
    openSocket: () => fleet.open('paths'),
  });
  const call = async (method: 'GET' | 'POST', path: string) => {
    const outcome = await upstream.call({ method, path, timeoutMs: 10_000 });
    return outcome.kind === 'response' ? outcome.status : outcome.kind;
  };
  const allowed = ['/v1/videos', '/v1/videos?limit=1', '/v1/videos/video_1/content'];
  for (const path of allowed) assert.equal(await call('GET', path), 200, path);
  const before = reached.length;
  const others = ['/', '/v1/models', '/v1/videos/..', '/v1/videos/../admin', '/v1/videos/%2e%2e'];
  for (const path of [...others, '/v1/videos/a/b', '//v1/videos', '/system_stats']) {
    const status = await call('POST', path);
    assert.equal(status, 403, path);
  }
  assert.equal(reached.length, before);
  await assert.rejects(fleet.open('another'), /another is not connected/);
  box.tunnel.end();
  await upstream.close();
});

test('an engine gets one request of a connection, and a body only with POST', async () => {
  const received: Buffer[] = [];
  const raw = createServer((socket) =>
    socket.on('data', (chunk) => received.push(chunk) && socket.end('HTTP/1.1 200 OK\r\n\r\n')),
  );
  await once(raw.listen(0, '127.0.0.1'), 'listening');
  const rawUrl = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`;
  const options = { name: 'raw', kind: 'openai-videos', engineUrl: rawUrl } as const;
  const box = await connectBox(service, options);
  const stream = await fleet.open('raw');
  const evil = 'GET /admin HTTP/1.1\r\nhost: a\r\n\r\n';
  const get = 'GET /v1/videos HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  stream.write(`${get}${evil.length.toString(16)}\r\n${evil}\r\n0\r\n\r\n${get}0\r\n\r\n`);
  await once(stream.resume(), 'end');
  stream.destroy();
  raw.close();
  box.tunnel.end();
  const requests = Buffer.concat(received)
    .toString()
    .match(/[A-Z]+ \S+ HTTP/g);
  assert.deepEqual(requests, ['GET /v1/videos HTTP']);
});

test('cuts off nonsense, and serves the connections beside it', async () => {
  const token = await createBox(service, { name: 'nonsense', kind: 'comfyui', engineUrl });
  const nonsense: readonly Buffer[] = [
    Buffer.alloc(1024, 'GET / HTTP/1.1\r\n'),
    // Unmasked, reserved bits, an unknown type, a long ping, a frame of 1 GB.
    Buffer.of(0x82, 1, 1),
    Buffer.of(0xf2, 0x81, 0, 0, 0, 0, 1),
    Buffer.of(0x83, 0x81, 0, 0, 0, 0, 1),
    Buffer.of(0x89, 0xfe, 1, 0, 0, 0, 0, 0),
    Buffer.of(0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0),
  ];
  for (const bytes of nonsense) {
    const { socket } = await dial(token);
    const closed = once(socket!.resume(), 'close');
    socket!.write(bytes);
    await closed;
  }
});

test('holds a fixed number of connections for a name', async () => {
  const token = await createBox(service, { name: 'many', kind: 'comfyui', engineUrl });
  const sockets: Socket[] = [];
  let [refused, left] = [0, attempts];
  const next = async (): Promise<void> => {
    while (left-- > 0) {
      const { status, socket } = await dial(token);
      if (socket) sockets.push(socket.resume());
      else if (status === 429) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 50 }, next));
  // Those that answer no ping are closed, and leave room for others.
  const open = () => sockets.filter((one) => !one.destroyed && !one.readableEnded).length;
  await waitUntil(() => open() <= connectionsPerBoxMax);
  assert.equal(refused + sockets.length, attempts);
  for (const socket of sockets) socket.destroy();
  await waitUntil(() => !isConnected(service, 'many'));
});

test('slows down a box that sends too fast or does not read', async () => {
  const token = await createBox(service, { name: 'fast', kind: 'comfyui', engineUrl });
  const { socket } = await dial(token);
  const opening = fleet.open('fast');
  await once(socket!, 'data');
  socket!.write(frame(0x82, Buffer.of(1)));
  const stream = await opening;
  // Nobody reads: what is held is bounded, the rest waits at the box.
  const flood = Buffer.concat(Array.from({ length: 2000 }, () => frame(0x82, Buffer.of(0x61))));
  for (let at = 0; at < 2_000 && socket!.writableLength < 1_000_000; at++) socket!.write(flood);
  await once(stream, 'readable');
  await waitUntil(() => socket!.writableLength > 500_000);
  assert.ok(stream.readableLength < 300_000, `${stream.readableLength} bytes held`);
  // The box reads nothing: a write waits, and takes no more than the buffers of the system.
  socket!.pause();
  let writes = 0;
  while (stream.write(Buffer.alloc(64 * 1024)) && writes < 1000) writes += 1;
  assert.ok(stream.writableLength <= 128 * 1024, `${stream.writableLength} bytes wait`);
  socket!.destroy();
  await waitUntil(() => stream.destroyed);
});
