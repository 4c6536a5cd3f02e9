/**
 * Clients cannot choose their IP address: of `X-Forwarded-For`, only entries of trusted proxies
 * count.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newAdministrator, openBrowserSession, testPassword } from '../../../proof/kit/people.ts';
import { startService } from '../../../proof/kit/service.ts';
import { parseNetworks } from '../../egress/ip-address.ts';
import { clientAddress } from './client-address.ts';

const trusted = parseNetworks('10.0.0.0/8, 192.0.2.1, fd00::/8');

const rows: { peer: string; header?: string | string[]; client: string; why: string }[] = [
  { peer: '203.0.113.9', client: '203.0.113.9', why: 'no header' },
  {
    peer: '203.0.113.9',
    header: '127.0.0.1',
    client: '203.0.113.9',
    why: 'an untrusted header',
  },
  {
    peer: '203.0.113.9',
    header: '10.0.0.1',
    client: '203.0.113.9',
    why: 'an untrusted client that names the proxy',
  },
  { peer: '10.0.0.1', header: '203.0.113.9', client: '203.0.113.9', why: 'through our proxy' },
  {
    peer: '10.0.0.1',
    header: '127.0.0.1, 203.0.113.9',
    client: '203.0.113.9',
    why: 'what the client sent itself stands to the left, and is not read',
  },
  {
    peer: '10.0.0.1',
    header: '198.51.100.1, 203.0.113.9, 192.0.2.1 ,10.9.9.9',
    client: '203.0.113.9',
    why: 'through three of our proxies',
  },
  {
    peer: '10.0.0.1',
    header: ['198.51.100.1', '203.0.113.9, 192.0.2.1'],
    client: '203.0.113.9',
    why: 'in two lines',
  },
  { peer: '10.0.0.1', header: '10.0.0.7, 10.0.0.8', client: '10.0.0.7', why: 'all are ours' },
  { peer: '10.0.0.1', header: 'unknown', client: '10.0.0.1', why: 'a proxy that does not know' },
  { peer: '10.0.0.1', header: '203.0.113.9,', client: '10.0.0.1', why: 'nothing at the end' },
  { peer: '10.0.0.1', header: '8.8.8.8, 1.2.3, 10.0.0.2', client: '10.0.0.2', why: 'no address' },
  { peer: '10.0.0.1', header: "1.1.1.1'; drop table", client: '10.0.0.1', why: 'words' },
  {
    peer: '::ffff:10.0.0.1',
    header: '203.0.113.9',
    client: '203.0.113.9',
    why: 'IPv4 inside IPv6',
  },
  { peer: '::FFFF:a00:1', header: '::ffff:203.0.113.9', client: '203.0.113.9', why: 'both so' },
  { peer: 'fd00::1', header: '2001:db8::7', client: '2001:db8::7', why: 'IPv6' },
  { peer: 'fd00:0:0:0::1%eth0', header: '2001:DB8::7', client: '2001:DB8::7', why: 'with a zone' },
  { peer: 'fd00::1', header: '[2001:db8::7]:4711', client: '2001:db8::7', why: 'with a port' },
  { peer: 'fd00::1', header: '[2001:db8::7]', client: '2001:db8::7', why: 'in brackets' },
  { peer: 'fd00::1', header: '203.0.113.9:4711', client: '203.0.113.9', why: 'IPv4 with a port' },
  { peer: 'fe00::1', header: '203.0.113.9', client: 'fe00::1', why: 'beside our network' },
];

for (const { peer, header, client, why } of rows) {
  test(`${peer} with ${header ?? 'no header'}: ${client} (${why})`, () => {
    assert.equal(clientAddress({ peer, forwardedFor: header }, trusted), client);
  });
}

test('a client has the address that the trusted proxy saw, whatever it sends', () => {
  const outsider = fc.constantFrom('203.0.113.9', '2001:db8::7', '127.0.0.1', '192.168.0.1');
  const anything = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(outsider, fc.array(anything), (seen, written) => {
      const forwardedFor = [...written, seen].join(', ');
      assert.equal(clientAddress({ peer: '10.0.0.1', forwardedFor }, trusted), seen);
      assert.equal(clientAddress({ peer: seen, forwardedFor }, trusted), seen);
      assert.equal(clientAddress({ peer: '10.0.0.1', forwardedFor }, []), '10.0.0.1');
    }),
  );
});

type Service = Awaited<ReturnType<typeof startService>>;

/** Signs in with a wrong password and returns the status. */
async function guess(url: string, forwardedFor: string, email: string): Promise<number> {
  const headers = { 'x-forwarded-for': forwardedFor };
  const credentials = { email, password: 'not the password' };
  return (await openBrowserSession(url).send('POST', '/session', credentials, headers)).status;
}

async function scopes({ db }: Service): Promise<Record<string, number>> {
  const { rows: found } = await db.query<{ scope: string; tries: number }>(
    `select scope, tries from sign_in_troubles where scope like 'network %'`,
  );
  return Object.fromEntries(found.map(({ scope, tries }) => [scope.slice(8), tries]));
}

const guesses = ['2001:db8:0:1::1', '2001:DB8::1:ffff:0:0:2', '[2001:db8:0:1::3]:99', '1.2.3.4'];
const metricsBy = (url: string, forwardedFor: string) =>
  fetch(`${url}/metrics`, { headers: { 'x-forwarded-for': forwardedFor } });

describe('behind a trusted proxy', () => {
  let service: Service;
  before(async () => {
    service = await startService({
      environment: { VIDGEN_ROLE: 'api', VIDGEN_TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
    });
  });
  after(() => service.close());

  test('wrong passwords count for the network that sent them, in any notation', async () => {
    for (const [n, from] of [...guesses, '::ffff:1.2.3.4'].entries()) {
      const sent = `9.9.9.${n}, ${from}`;
      assert.equal(await guess(service.url, sent, `nobody-${n}@example.com`), 401);
    }
    assert.deepEqual(await scopes(service), { '2001:0db8:0000:0001::/64': 3, '1.2.3.4': 2 });
  });

  test('a session is listed with the client’s address', async () => {
    const { email } = await newAdministrator(service);
    const browser = openBrowserSession(service.url);
    const headers = { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' };
    await browser.send('POST', '/session', { email, password: testPassword }, headers);
    const { body } = await browser.get('/sessions');
    const listed = (body.items as { current: boolean; address: string }[]) ?? [];
    assert.equal(listed.find(({ current }) => current)?.address, '203.0.113.9');
  });

  test('/metrics stays closed to clients behind the proxy, whatever they send', async () => {
    for (const from of ['203.0.113.9', '127.0.0.1, 203.0.113.9', '127.0.0.1', '::1']) {
      assert.equal((await metricsBy(service.url, from)).status, 401, from);
    }
  });
});

describe('without a trusted proxy', () => {
  let service: Service;
  before(async () => {
    service = await startService({ environment: { VIDGEN_ROLE: 'api' } });
  });
  after(() => service.close());

  test('the header is ignored: all attempts count for this machine', async () => {
    for (const [n, from] of guesses.entries()) {
      assert.equal(await guess(service.url, from, `nobody-${n}@example.com`), 401);
    }
    assert.deepEqual(await scopes(service), { '127.0.0.1': 4 });
  });
});
