import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DnsServer, startDnsServer } from '../../proof/kit/dns-server.ts';
import { EgressFailure } from './failure.ts';
import { resolveName } from './resolve.ts';

let dns: DnsServer;
before(async () => {
  dns = await startDnsServer({
    'both.test': { A: ['93.184.215.14', '1.1.1.1'], AAAA: ['2606:4700:4700::1111'] },
    'v6.test': { AAAA: ['2606:4700:4700::1111'] },
    'alias.test': { CNAME: 'inner.test', A: ['93.184.215.14'] },
    'inner.test': { A: ['93.184.215.14'] },
    'empty.test': {},
    'silent.test': { silent: true },
    // Also in the hosts file of every machine, as loopback.
    localhost: { A: ['93.184.215.14'] },
  });
});
after(() => dns.close());

const resolve = (name: string, signal = new AbortController().signal) =>
  resolveName(name, { signal, servers: [dns.address] });
const isDnsFailure = (error: unknown) => error instanceof EgressFailure && error.code === 'dns';

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
