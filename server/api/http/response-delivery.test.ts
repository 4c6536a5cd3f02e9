/** Which responses count as not received, by what happens to their connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { trackResponse } from './client-errors.ts';
import { watchDelivery } from './response-delivery.ts';

let server: Server;
let url: string;
/** Paths of responses that were not received. */
const undelivered: string[] = [];
before(async () => {
  server = createServer((request, response) => {
    trackResponse(response, () => {});
    const path = request.url!;
    const expectsRequest = path.includes('expects');
    watchDelivery(response, () => undelivered.push(path), { expectsRequest });
    if (!path.includes('silent')) response.end('{}');
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const requestOf = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

/** Sends a request, does something with its connection, and returns what was not received. */
async function connectionOf(
  path: string,
  act: (socket: Socket) => Promise<unknown> | unknown,
): Promise<readonly string[]> {
  undelivered.length = 0;
  const connected = once(server, 'connection');
  const client = await openSocket(url);
  const [socket] = (await connected) as [Socket];
  const closed = new Promise((resolve) => socket.once('close', () => setImmediate(resolve)));
  client.write(requestOf(path));
  await act(client);
  client.destroy();
  await closed;
  return [...undelivered];
}

const readThen = (act: (socket: Socket) => unknown) => async (socket: Socket) => {
  await once(socket, 'data');
  await act(socket);
};
const reset = (socket: Socket) => socket.resetAndDestroy();
/** Resets the connection in the middle of the next request. */
const resetInRequest = async (socket: Socket) => {
  const received = once(server, 'connection');
  socket.write(requestOf('/next').slice(0, 10));
  // Another connection that is accepted shows that the bytes before it were read.
  const other = await openSocket(url);
  await received;
  other.destroy();
  socket.resetAndDestroy();
};

test('a response that was read and closed is received', async () => {
  assert.deepEqual(
    await connectionOf(
      '/',
      readThen((socket) => socket.end()),
    ),
    [],
  );
});

test('a response whose connection closes before it is written is not', async () => {
  const closeAfterRequest = async () => void (await once(server, 'request'));
  assert.deepEqual(await connectionOf('/silent', closeAfterRequest), ['/silent']);
});

test('a response whose connection is reset after it is not', async () => {
  assert.deepEqual(await connectionOf('/', readThen(reset)), ['/']);
});

test('a response that another request follows is received', async () => {
  const sendNext = async (socket: Socket) => {
    socket.write(requestOf('/next'));
    await once(socket, 'data');
    reset(socket);
  };
  assert.deepEqual(await connectionOf('/', readThen(sendNext)), ['/next']);
  assert.deepEqual(await connectionOf('/expects', readThen(sendNext)), ['/next']);
});

test('an incomplete request after it shows that a response was received', async () => {
  assert.deepEqual(await connectionOf('/', readThen(resetInRequest)), []);
});

test('a broken next request of a client that starts again counts as not received', async () => {
  assert.deepEqual(await connectionOf('/expects', readThen(resetInRequest)), ['/expects']);
});
