/**
 * What connections can cost: memory, descriptors and time without progress.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createTask, useJourney } from '../../../proof/kit/journey.ts';
import { openSocket, sendRaw } from '../../../proof/kit/raw-http.ts';
import { waitUntil } from '../../../proof/kit/wait-until.ts';
import { sleep } from '../../process/clock.ts';
import { connectionsMaxFor, requestsPerConnectionMax } from './connections.ts';

const journey = await useJourney({ script: { status: ['pending'] } });
const { server } = journey.service.parts.api!;

const openConnections = (): Promise<number> =>
  promisify(server.getConnections.bind(server))() as Promise<number>;

const script = 'GET /docs/scalar.js HTTP/1.1\r\nhost: localhost\r\n\r\n';

async function sendWithoutReading(requests: string): Promise<Socket> {
  const socket = await openSocket(journey.service.url);
  socket.pause();
  socket.write(requests);
  return socket;
}

test('clients that never read do not multiply the script of the reference page', async () => {
  await (await fetch(`${journey.service.url}/docs/scalar.js`)).arrayBuffer();
  const before = process.memoryUsage().arrayBuffers;
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => sendWithoutReading(script.repeat(requestsPerConnectionMax))),
  );
  await waitUntil(async () => (await openConnections()) >= 20);
  await sleep(200);
  const grownMebibytes = (process.memoryUsage().arrayBuffers - before) / 1024 ** 2;
  for (const socket of sockets) socket.destroy();
  // 640 copies would be 2.8 GB.
  assert.ok(grownMebibytes < 200, `${grownMebibytes} MiB`);
});

test('pipelined downloads have one open file per connection', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const { service } = journey;
  const account = await service.account();
  const head = '89504e470d0a1a0a0000000d49484452000000100000001008060000001ff3ff61';
  const png = Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(8_000_000)]);
  const { url } = await account.client.upload(png);
  const { pathname, search } = new URL(url);
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((descriptor) =>
      linkOf(`/proc/self/fd/${descriptor}`).includes('upload_'),
    ).length;
  const sockets = await Promise.all(
    Array.from({ length: 5 }, () => sendWithoutReading(request.repeat(30))),
  );
  await waitUntil(() => openFiles() > 0);
  await sleep(200);
  assert.ok(openFiles() <= 5, `${openFiles()} files`);
  for (const socket of sockets) socket.destroy();
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('a connection with too many requests in progress is closed', async () => {
  const socket = await sendWithoutReading(script.repeat(requestsPerConnectionMax + 1));
  socket.resume();
  await once(socket, 'close');
});

test('a client that stops reading is cut off, one that waits for a handler is not', async () => {
  const { service } = journey;
  const { account, client, taskId } = await createTask(service);
  await waitUntil(async () => (await client.task(taskId)).status === 'generating');
  const closedPorts = new Set<number | undefined>();
  server.on('connection', (socket) => {
    const { remotePort } = socket;
    socket.once('close', () => closedPorts.add(remotePort));
  });
  const timeoutBefore = server.timeout;
  // For connections that are opened from now on, so none of them is one that `fetch` has kept.
  server.timeout = 300;
  try {
    const waiting = sendRaw(
      service.url,
      `GET /v1/tasks/${taskId}?wait=2 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n` +
        `authorization: Bearer ${account.key}\r\n\r\n`,
    );
    const stalled = await sendWithoutReading(script.repeat(20));
    await waitUntil(() => closedPorts.has(stalled.localPort));
    assert.equal((await waiting)[0]?.status, 200);
    stalled.destroy();
  } finally {
    server.timeout = timeoutBefore;
  }
});

test('connections stay below the descriptors of the process', async () => {
  assert.equal(connectionsMaxFor(1024), 412);
  assert.equal(connectionsMaxFor(null), 10_000);
  assert.ok(server.maxConnections > 0);
  const maxBefore = server.maxConnections;
  server.maxConnections = (await openConnections()) + 2;
  try {
    const dropped = once(server, 'drop');
    const sockets = await Promise.all(
      Array.from({ length: 6 }, () => openSocket(journey.service.url)),
    );
    await dropped;
    for (const socket of sockets) socket.destroy();
  } finally {
    server.maxConnections = maxBefore;
  }
});

test('a body in chunks of one byte is cut off, before the caller is known', async () => {
  const socket = await openSocket(journey.service.url);
  const requestHead = 'POST /v1/videos/generations HTTP/1.1\r\nhost: localhost\r\n';
  socket.write(`${requestHead}transfer-encoding: chunked\r\n\r\n`);
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(10_000));
  let sent = 0;
  const send = () => {
    while (!socket.destroyed && sent < 2_000 && socket.write(chunks)) sent += 1;
  };
  socket.on('drain', send).resume();
  send();
  await waitUntil(() => socket.destroyed);
  assert.ok(sent < 2_000, 'every chunk was taken');
});
