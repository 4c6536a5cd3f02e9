/** A stop does not wait for connections on which no request is under way. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { openSocket } from '../../../proof/kit/raw-http.ts';
import { startService } from '../../../proof/kit/service.ts';
import { startInterval } from '../../process/clock.ts';

test('a stop closes connections without a complete request before it must', async (t) => {
  const service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  const { api } = service.parts;
  const { key } = await service.account();
  const create =
    `POST /v1/videos/generations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{';
  const sockets: Socket[] = [];
  for (const begun of ['', 'GET /v1/credits HTTP/1.1\r\nHost: a\r\n', create, create]) {
    const socket = await openSocket(service.url);
    socket.write(begun);
    sockets.push(socket);
  }
  const kept = await openSocket(service.url);
  kept.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await once(kept, 'data');
  const drip = startInterval(50, () => void sockets.at(-1)!.write(' '));
  const closed = Promise.all(
    [...sockets, kept].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
  );
  const force = t.mock.method(api!.server, 'closeAllConnections');
  await api!.close();
  await closed;
  drip.stop();
  await service.close();
  assert.equal(force.mock.callCount(), 0);
});
