import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { acceptWaiting } from './accept-waiting.ts';

test('who had connected when we stop is answered, not reset', async () => {
  const server = createServer((asked, answer) => {
    asked.resume().once('end', () => answer.end());
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
  // After one turn all have connected, and the server has taken the first.
  await turn();
  await acceptWaiting(server);
  server.close();
  const answers = await Promise.all(calls);
  assert.equal(answers.length, 100);
});
