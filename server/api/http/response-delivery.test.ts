/** Which responses count as not delivered, by what happens to their connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { isDisconnected, onUndelivered } from './connections.ts';

const server = createServer();
// As the service does.
Object.assign(server, { httpAllowHalfOpen: true });
server.on('clientError', (_, socket) => socket.destroy());
before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
after(() => server.close());

type Open = { readonly client: Socket; readonly response: ServerResponse; undelivered: number };

async function sendRequest(version = '1.1'): Promise<Open> {
  const received = once(server, 'request');
  const client = await openSocket(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.write(`GET / HTTP/${version}\r\nhost: localhost\r\n\r\n`);
  const [, response] = (await received) as [unknown, ServerResponse];
  const open = { client, response, undelivered: 0 };
  onUndelivered(response, () => {
    open.undelivered += 1;
  });
  return open;
}

for (const [how, leave] of [
  ['resets it', (client: Socket) => client.resetAndDestroy()],
  ['closes it', (client: Socket) => client.destroy()],
] as const) {
  test(`notices a client that ${how} before the response`, async () => {
    const open = await sendRequest();
    assert.equal(isDisconnected(open.response), false);
    leave(open.client);
    await once(open.response, 'close');
    assert.deepEqual([isDisconnected(open.response), open.undelivered], [true, 1]);
  });
}

test('takes a written response for received, also if the connection is reset later', async () => {
  const open = await sendRequest();
  open.response.end('{}');
  await once(open.client, 'data');
  const { socket } = open.response.req;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  open.client.resetAndDestroy();
  await closed;
  assert.equal(open.undelivered, 0);
});

test('answers a client that ends its side and waits', async () => {
  const open = await sendRequest();
  open.client.end();
  const received = text(open.client);
  const [interim] = await once(open.client, 'data');
  assert.equal(String(interim), 'HTTP/1.1 100 Continue\r\n\r\n');
  open.response.end('{}');
  assert.match(await received, /HTTP\/1.1 200 OK\r\n/);
  assert.equal(open.undelivered, 0);
});
