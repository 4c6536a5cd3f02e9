import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { drainAcceptQueue } from './drain-accept-queue.ts';

test('connections made before shutdown are served, not reset', async () => {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = { connection: 'close' };
  const calls = Array.from({ length: 100 }, () =>
    once(
      request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false }).end('{}'),
      'response',
    ),
  );
  // After one turn all have connected, and the server has accepted the first.
  await turn();
  await drainAcceptQueue(server);
  server.close();
  const responses = await Promise.all(calls);
  assert.equal(responses.length, 100);
});
