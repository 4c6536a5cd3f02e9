import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startDnsServer } from '../../proof/kit/dns-server.ts';
import { createFakeNetwork, type FakeNetwork, listen } from '../../proof/kit/fake-network.ts';
import { connect, createDial, dialOrder, type Guard } from './connect.ts';
import { EgressFailure } from './failure.ts';
import { parseNetworks } from './ip-address.ts';
import { resolveName } from './resolve.ts';

const never = new AbortController().signal;
const policy = (allowed = '') => ({ allowedNetworks: parseNetworks(allowed), ownNetworks: [] });
const isFailure = (code: string) => (error: unknown) =>
  error instanceof EgressFailure && error.code === code;

const createGuard = (network: FakeNetwork, addresses: readonly string[], allowed = ''): Guard => ({
  policy: policy(allowed),
  dial: network.dial,
  resolve: async () => addresses,
});

test('alternates between address families and tries four addresses at most', () => {
  assert.deepEqual(dialOrder(['2606::1', '2606::2', '1.1.1.1']), ['1.1.1.1', '2606::1', '2606::2']);
  assert.equal(dialOrder(Array<string>(100).fill('1.1.1.1')).length, 4);
});

test('one unreachable address rejects the name, and nothing is dialed', async () => {
  const network = createFakeNetwork(0);
  const resolved = [
    ['127.0.0.1'],
    ['93.184.215.14', '1.1.1.1', '10.0.0.5'],
    ['2606:4700:4700::1111', '127.0.0.1'],
    ['93.184.215.14', '::ffff:93.184.215.14'],
    ['93.184.215.14', 'not an address'],
    [],
  ];
  for (const addresses of resolved) {
    const blocked = connect(createGuard(network, addresses), new URL('http://a.test/'), never);
    await assert.rejects(blocked, isFailure('refused_address'), addresses.join());
  }
  assert.deepEqual(network.dialed, []);
});

test('a private address is accepted if its range is allowed, and no other', async (t) => {
  const server = await listen(() => {});
  t.after(server.close);
  const network = createFakeNetwork(server.port);
  const url = new URL('http://hooks.internal/');
  const { socket } = await connect(createGuard(network, ['10.1.0.5'], '10.1.0.0/16'), url, never);
  socket.destroy();
  const mixed = connect(createGuard(network, ['10.1.0.5', '10.2.0.5'], '10.1.0.0/16'), url, never);
  await assert.rejects(mixed, isFailure('refused_address'));
  assert.deepEqual(network.dialed, ['10.1.0.5']);
});

test('a peer other than the dialed address receives no byte', async () => {
  const server = await listen(() => {});
  for (const peer of ['127.0.0.1', '169.254.169.254', '::1', 'nobody']) {
    const network = createFakeNetwork(server.port, { peer: () => peer });
    const url = new URL('https://hooks.example.com/');
    const blocked = connect(createGuard(network, ['93.184.215.14']), url, never);
    await assert.rejects(blocked, isFailure('refused_address'), peer);
  }
  await server.close();
  assert.deepEqual(
    server.arrivals.map(({ bytes }) => bytes),
    [0, 0, 0, 0],
  );
});

test('an unresponsive or refusing address does not delay the next one', async (t) => {
  const server = await listen(() => {});
  t.after(server.close);
  for (const first of ['silent', 'refuse'] as const) {
    const network = createFakeNetwork(server.port, {
      behavior: (address) => (address === '1.1.1.1' ? first : 'connect'),
    });
    const guard = createGuard(network, ['1.1.1.1', '93.184.215.14']);
    const { socket } = await connect(guard, new URL('http://a.test/'), never);
    assert.equal(socket.remoteAddress, '93.184.215.14');
    socket.destroy();
  }
});

test('fails if no address responds or the signal aborts', async () => {
  const refusing = createFakeNetwork(0, { behavior: () => 'refuse' });
  const url = new URL('http://a.test/');
  const guard = createGuard(refusing, ['1.1.1.1', '2606:4700:4700::1111']);
  await assert.rejects(connect(guard, url, never), isFailure('connect'));
  assert.equal(refusing.dialed.length, 2);

  const silent = createFakeNetwork(0, { behavior: () => 'silent' });
  const controller = new AbortController();
  const attempt = connect(createGuard(silent, ['1.1.1.1']), url, controller.signal);
  controller.abort(new EgressFailure('timeout'));
  await assert.rejects(attempt, isFailure('timeout'));
});

test('localhost and names below it are the allowed loopback and are not resolved', async (t) => {
  const server = await listen(() => {});
  t.after(server.close);
  const network = createFakeNetwork(server.port);
  const guard: Guard = {
    ...createGuard(network, [], '127.0.0.1/32'),
    resolve: () => Promise.reject(new Error('a resolver was asked')),
  };
  for (const host of ['localhost', 'localhost.', 'a.localhost']) {
    (await connect(guard, new URL(`http://${host}/`), never)).socket.destroy();
  }
  assert.deepEqual(network.dialed, ['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  const nothingAllowed: Guard = { ...guard, policy: policy() };
  const blocked = connect(nothingAllowed, new URL('http://localhost/'), never);
  await assert.rejects(blocked, isFailure('refused_address'));
});

test('the real dialer itself rejects addresses that are not public', async (t) => {
  const server = await listen(() => {});
  t.after(server.close);
  const dial = createDial(policy());
  const target = { address: '127.0.0.1', port: server.port, signal: never };
  await assert.rejects(dial(target), { code: 'ERR_IP_BLOCKED' });
  await assert.rejects(dial({ ...target, address: '::1' }), { code: 'ERR_IP_BLOCKED' });
  assert.equal(server.arrivals.length, 0);
  (await createDial(policy('127.0.0.0/8'))(target)).destroy();
});

const dns = await startDnsServer({
  'both.test': { A: ['93.184.215.14', '1.1.1.1'], AAAA: ['2606:4700:4700::1111'] },
  'v6.test': { AAAA: ['2606:4700:4700::1111'] },
  'alias.test': { CNAME: 'inner.test', A: ['93.184.215.14'] },
  'inner.test': { A: ['93.184.215.14'] },
  'empty.test': {},
  'silent.test': { silent: true },
  // Also in the hosts file of every machine, as loopback.
  localhost: { A: ['93.184.215.14'] },
});
after(() => dns.close());

const resolve = (name: string, signal = new AbortController().signal) =>
  resolveName(name, { signal, servers: [dns.address] });
const isDnsFailure = isFailure('dns');

test('returns every address of both families', async () => {
  const addresses = await resolve('both.test');
  assert.deepEqual(addresses.toSorted(), ['1.1.1.1', '2606:4700:4700::1111', '93.184.215.14']);
  assert.deepEqual(await resolve('v6.test'), ['2606:4700:4700::1111']);
});

test('fails if the name is unknown, has no address, or its server is unresponsive', async () => {
  await assert.rejects(resolve('absent.test'), isDnsFailure);
  await assert.rejects(resolve('empty.test'), isDnsFailure);
  await assert.rejects(resolve('silent.test'), isDnsFailure);
});

test('sends one query per family, even without a response', async () => {
  const questions = dns.questions.filter((question) => question.startsWith('silent.test'));
  assert.deepEqual(questions.toSorted(), ['silent.test A', 'silent.test AAAA']);
});

test('takes at most one second, however many servers are configured', async (t) => {
  const silent = [await startDnsServer({ 'both.test': { silent: true } })];
  silent.push(await startDnsServer({ 'both.test': { silent: true } }));
  for (const server of silent) t.after(server.close);
  const servers = [...silent, dns].map(({ address }) => address);
  const lookup = resolveName('both.test', { signal: new AbortController().signal, servers });
  await assert.rejects(lookup, isDnsFailure);
});

test('queries DNS and not the hosts file', async () => {
  assert.deepEqual(await resolve('localhost'), ['93.184.215.14']);
});

test('stops at once with the signal’s reason', async () => {
  const controller = new AbortController();
  const reason = new EgressFailure('timeout');
  const lookup = resolve('silent.test', controller.signal);
  controller.abort(reason);
  await assert.rejects(lookup, reason);
  await assert.rejects(resolve('both.test', controller.signal), reason);
});
