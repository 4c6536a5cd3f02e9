import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { resolvePort } from './listen.ts';

const host = '127.0.0.1';

test('a port in use is reported before anything is created', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, host);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const message = new RegExp(`port ${port} on ${host} is already in use; .*set PORT`);
  await assert.rejects(resolvePort({ host, port }), message);
  other.close();
});

test('a host of another machine is reported without contacting it', async () => {
  // 192.0.2.0/24 is reserved for documentation.
  const address = { host: '192.0.2.1', port: 8080 };
  await assert.rejects(resolvePort(address), /HOST 192\.0\.2\.1, PORT 8080: cannot listen/);
});

test('a free port is not opened by the check', async () => {
  const port = await resolvePort({ host, port: 0 });
  let reached = 0;
  const callers = Array.from({ length: 20 }, async () => {
    const socket = connect({ host, port });
    await once(socket, 'connect').then(
      () => (reached += 1),
      () => {},
    );
    socket.destroy();
  });
  assert.equal(await resolvePort({ host, port }), port);
  await Promise.all(callers);
  assert.equal(reached, 0);
});
