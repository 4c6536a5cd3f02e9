/** Downloads of results use connections again, and lose none to a host that closes them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { listen } from '../../proof/kit/fake-network.ts';
import { createEgress } from './egress.ts';
import { parseNetworks } from './ip-address.ts';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A host that calls `respond` for each request, with the number of the request. */
async function startHost(
  t: TestContext,
  respond: (socket: Socket, request: number) => void = (socket) => socket.write(ok),
) {
  const sockets: Socket[] = [];
  let requests = 0;
  const host = await listen((socket) => {
    sockets.push(socket);
    socket.on('data', () => respond(socket, ++requests));
  });
  t.after(host.close);
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
  return { sockets, get, egress, countRequests: () => requests };
}

test('a result uses the connection of the one before it, a material does not', async (t) => {
  const { sockets, get } = await startHost(t);
  assert.deepEqual([await get(), await get(), await get()], ['200 ok', '200 ok', '200 ok']);
  assert.equal(sockets.length, 1);
  assert.deepEqual([await get('material'), await get('material')], ['200 ok', '200 ok']);
  assert.equal(sockets.length, 3);
});

test('repeats a download once if its kept connection closes without a response', async (t) => {
  const { sockets, get, countRequests } = await startHost(t, (socket, request) =>
    request === 2 ? socket.destroy() : socket.write(ok),
  );
  assert.deepEqual([await get(), await get()], ['200 ok', '200 ok']);
  assert.deepEqual([sockets.length, countRequests()], [2, 3]);
});

test('gives up if the host closes the new connection too', async (t) => {
  const { get, countRequests } = await startHost(t, (socket) => void socket.destroy());
  assert.equal(await get(), 'closed');
  assert.equal(countRequests(), 2);
});

test('downloads at the same time do not wait for each other', async (t) => {
  const waiting: Socket[] = [];
  const { sockets, get } = await startHost(t, (socket) => {
    waiting.push(socket);
    if (waiting.length === 8) for (const one of waiting) one.write(ok);
  });
  const all = await Promise.all(Array.from({ length: 8 }, () => get()));
  assert.deepEqual(new Set(all), new Set(['200 ok']));
  assert.equal(sockets.length, 8);
});

test('closing the egress closes kept connections', async (t) => {
  const { sockets, get, egress } = await startHost(t);
  await get();
  const closed = once(sockets[0]!, 'close');
  egress.close();
  await closed;
});
