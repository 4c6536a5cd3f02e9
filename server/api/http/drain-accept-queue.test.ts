import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { drainAcceptQueue } from './connections.ts';

const count = 100;

/** Connects and sends requests, counts the connections, and returns the first line of each. */
const clients = `
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const connected = new Int32Array(workerData.shared);
  const request = 'POST / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n' +
    'content-length: 2\\r\\n\\r\\n{}';
  const answer = () => new Promise((resolve) => {
    let received = '';
    const socket = connect(workerData.port, '127.0.0.1', () => {
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
    });
    socket.on('data', (data) => { received += data; });
    socket.on('error', ({ code }) => { received = code; });
    socket.on('close', () => resolve(received.split('\\r\\n')[0]));
    socket.write(request);
  });
  Promise.all(Array.from({ length: workerData.count }, answer))
    .then((lines) => parentPort.postMessage(lines));
`;

test('connections made before shutdown are served, not reset', async () => {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const shared = new SharedArrayBuffer(4);
  const worker = new Worker(clients, { eval: true, workerData: { port, shared, count } });
  const answered = once(worker, 'message');
  // This thread accepts nothing until all have connected.
  const connected = new Int32Array(shared);
  for (let seen = 0; seen < count; seen = Atomics.load(connected, 0)) {
    Atomics.wait(connected, 0, seen);
  }
  await drainAcceptQueue(server);
  server.close();
  const [lines] = await answered;
  assert.deepEqual(lines, Array(count).fill('HTTP/1.1 200 OK'));
});
