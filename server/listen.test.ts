import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { listenOn, resolvePort } from './listen.ts';

const host = '127.0.0.1';

test('a port that is taken is told before anything is made', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, host);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const message = new RegExp(`port ${port} on ${host} is taken by another program: .*set PORT`);
  await assert.rejects(resolvePort({ host, port }), message);
  other.close();
});

test('a host that is not ours is told, and nobody is called', async () => {
  // 192.0.2.0/24 belongs to nobody.
  const address = { host: '192.0.2.1', port: 8080 };
  await assert.rejects(resolvePort(address), /HOST 192\.0\.2\.1, PORT 8080: cannot listen there/);
});

test('a free port is not listened on while we ask', async () => {
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

test('what stands in the way only later is the same sentence', async () => {
  const error = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
  const server = { listen: () => Promise.reject(error) };
  await assert.rejects(
    listenOn(server, { host, port: 80 }),
    /HOST 127\.0\.0\.1, PORT 80: cannot listen there \(listen EACCES\)/,
  );
});
