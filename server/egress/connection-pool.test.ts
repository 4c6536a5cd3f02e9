import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createFakeNetwork, listen, type TestListener } from '../../proof/kit/fake-network.ts';
import type { Guard } from './connect.ts';
import { ConnectionPool } from './connection-pool.ts';
import { createEgress } from './egress.ts';
import { EgressFailure } from './failure.ts';
import { readPrefix, sendRequest } from './guarded-request.ts';
import { parseNetworks } from './ip-address.ts';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const never = new AbortController().signal;

type Receiver = TestListener & { readonly sockets: Socket[]; requests: number };

/** A receiver that calls `respond` for each request, with the number of the request. */
async function startReceiver(
  t: TestContext,
  respond: (socket: Socket, request: number) => void = (socket) => socket.write(ok),
): Promise<Receiver> {
  const sockets: Socket[] = [];
  const listener = await listen((socket) => {
    sockets.push(socket);
    socket.on('data', () => respond(socket, ++receiver.requests));
  });
  t.after(listener.close);
  const receiver = { ...listener, sockets, requests: 0 };
  return receiver;
}

/** Sends webhooks to `https` or `http` hosts whose addresses are in `addresses`. */
function startSender(t: TestContext, receiver: Receiver) {
  const pool = new ConnectionPool();
  t.after(() => pool.close());
  const { dial, dialed } = createFakeNetwork(receiver.port);
  const addresses: Record<string, string[]> = {};
  const guard: Guard = {
    policy: { allowedNetworks: [], ownNetworks: [] },
    dial,
    pool,
    resolve: async (name) => addresses[name] ?? ['93.184.215.14'],
  };
  const send = async (url: string): Promise<string> => {
    const request = { url: new URL(url), method: 'POST', headers: {}, body: '{}' } as const;
    try {
      const responseBytesMax = 100;
      const response = await sendRequest(guard, { ...request, responseBytesMax, signal: never });
      return `${response.status} ${await readPrefix(response.body, responseBytesMax)}`;
    } catch (error) {
      assert.ok(error instanceof EgressFailure);
      return error.code;
    }
  };
  return { send, dialed, addresses, pool };
}

test('a webhook uses the connection of the one before it', async (t) => {
  const receiver = await startReceiver(t);
  const { send, dialed } = startSender(t, receiver);
  for (let count = 0; count < 3; count++) assert.equal(await send('http://a.test/'), '200 ok');
  assert.deepEqual(dialed, ['93.184.215.14']);
  assert.equal(receiver.requests, 3);
});

test('a kept connection serves no other host, port or address', async (t) => {
  const receiver = await startReceiver(t);
  const { send, dialed, addresses } = startSender(t, receiver);
  await send('http://a.test/');
  await send('http://b.test/');
  await send('http://a.test:8080/');
  assert.equal(dialed.length, 3);
  addresses['a.test'] = ['1.1.1.1'];
  await send('http://a.test/');
  assert.equal(dialed.at(-1), '1.1.1.1');
  assert.equal(dialed.length, 4);
  addresses['a.test'] = ['93.184.215.14', '1.1.1.1'];
  await send('http://a.test/');
  assert.equal(dialed.length, 4, 'both addresses are checked, so either connection may be used');
});

test('a kept connection is not used when its host resolves to a forbidden address', async (t) => {
  const receiver = await startReceiver(t);
  const { send, addresses } = startSender(t, receiver);
  assert.equal(await send('http://a.test/'), '200 ok');
  addresses['a.test'] = ['93.184.215.14', '10.0.0.5'];
  assert.equal(await send('http://a.test/'), 'refused_address');
  assert.equal(receiver.requests, 1);
});

test('a connection that the receiver closed while it was idle is not used', async (t) => {
  const receiver = await startReceiver(t);
  const { send } = startSender(t, receiver);
  await send('http://a.test/');
  receiver.sockets[0]!.end();
  await once(receiver.sockets[0]!, 'close');
  assert.equal(await send('http://a.test/'), '200 ok');
  assert.equal(receiver.arrivals.length, 2);
});

test('a webhook whose kept connection closes without a response is not repeated', async (t) => {
  const receiver = await startReceiver(t, (socket, request) =>
    request === 1 ? socket.write(ok) : socket.destroy(),
  );
  const { send } = startSender(t, receiver);
  await send('http://a.test/');
  assert.equal(await send('http://a.test/'), 'closed');
  assert.equal(receiver.requests, 2);
});

test('a response that arrives before its request closes the connection', async (t) => {
  const receiver = await startReceiver(t);
  const { send } = startSender(t, receiver);
  await send('http://a.test/');
  receiver.sockets[0]!.write('HTTP/1.1 204 No Content\r\n\r\n');
  await once(receiver.sockets[0]!, 'close');
  assert.equal(await send('http://a.test/'), '200 ok');
  assert.equal(receiver.arrivals.length, 2);
});

test('a connection that cannot serve another request is closed', async (t) => {
  const responses = [
    'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n',
    `HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n${'x'.repeat(200)}`,
    `${ok}${ok}`,
  ];
  const receiver = await startReceiver(t, (socket, request) =>
    socket.write(responses[request - 1]!),
  );
  const { send } = startSender(t, receiver);
  for (const response of responses) {
    assert.match(await send('http://a.test/'), /^200/, response);
    const socket = receiver.sockets.at(-1)!;
    if (!socket.closed) await once(socket, 'close');
  }
  assert.equal(receiver.arrivals.length, responses.length);
});

test('a webhook without a response delays no other one to its host', async (t) => {
  const receiver = await startReceiver(t, (socket, request) => {
    if (request > 1) socket.write(ok);
  });
  const { send } = startSender(t, receiver);
  const hanging = send('http://a.test/');
  while (receiver.requests === 0) await new Promise(setImmediate);
  assert.equal(await send('http://a.test/'), '200 ok');
  receiver.sockets[0]!.destroy();
  assert.equal(await hanging, 'closed');
});

test('webhooks of a burst use connections that were opened for others of it', async (t) => {
  const receiver = await startReceiver(t);
  const { pool } = startSender(t, receiver);
  const target = { name: 'http://a.test:80', addresses: ['127.0.0.1'], signal: never };
  let opened = 0;
  const open = async () => {
    opened += 1;
    const socket = connectTcp(receiver.port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return { socket, address: '127.0.0.1' };
  };
  await Promise.all([1, 2, 3].map(async () => (await pool.acquire(target, open)).keep(undefined)));
  assert.equal(opened, 1);
});

test('keeps at most four idle connections to a receiver', async (t) => {
  const receiver = await startReceiver(t, (_, request) => {
    if (request === 6) for (const one of receiver.sockets) one.write(ok);
  });
  const { send } = startSender(t, receiver);
  const webhooks = Array.from({ length: 6 }, () => send('http://a.test/'));
  assert.deepEqual(new Set(await Promise.all(webhooks)), new Set(['200 ok']));
  while (receiver.sockets.filter(({ closed }) => closed).length < 2) {
    await new Promise(setImmediate);
  }
  assert.equal(receiver.sockets.filter(({ closed }) => !closed).length, 4);
});

test('closing the egress closes idle connections', async (t) => {
  const receiver = await startReceiver(t);
  const egress = createEgress({ allowedNetworks: parseNetworks('127.0.0.0/8') });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const webhook = { url, headers: {}, body: '{}', deadlineMs: 5_000, responseBytesMax: 100 };
  assert.equal((await egress.post(webhook)).outcome, 'response');
  egress.close();
  await once(receiver.sockets[0]!, 'close');
  const later = await egress.post(webhook);
  assert.ok(later.outcome === 'failed' && later.error === 'cancelled');
});

/** Downloads from a host of results or materials, which calls `respond` for each request. */
async function startHost(t: TestContext, respond?: (socket: Socket, request: number) => void) {
  const host = await startReceiver(t, respond);
  const egress = createEgress({ allowedNetworks: parseNetworks('127.0.0.0/8') });
  t.after(egress.close);
  const url = `http://127.0.0.1:${host.port}/video.mp4`;
  const get = async (kind: 'result' | 'material' = 'result') => {
    const result = await egress.get({ url, kind, deadlineMs: 5_000, bytesMax: 100 });
    if (result.outcome === 'failed') return result.error;
    let text = '';
    for await (const chunk of result.stream) text += Buffer.from(chunk);
    return `${result.status} ${text}`;
  };
  return { host, get };
}

test('a result uses the connection of the one before it, a material does not', async (t) => {
  const { host, get } = await startHost(t);
  assert.deepEqual([await get(), await get(), await get()], ['200 ok', '200 ok', '200 ok']);
  assert.equal(host.sockets.length, 1);
  assert.deepEqual([await get('material'), await get('material')], ['200 ok', '200 ok']);
  assert.equal(host.sockets.length, 3);
});

test('repeats a download once if its kept connection closes without a response', async (t) => {
  const { host, get } = await startHost(t, (socket, request) =>
    request === 2 ? socket.destroy() : socket.write(ok),
  );
  assert.deepEqual([await get(), await get()], ['200 ok', '200 ok']);
  assert.deepEqual([host.sockets.length, host.requests], [2, 3]);
});

test('gives up if the host closes the new connection too', async (t) => {
  const { host, get } = await startHost(t, (socket) => void socket.destroy());
  assert.equal(await get(), 'closed');
  assert.equal(host.requests, 2);
});
