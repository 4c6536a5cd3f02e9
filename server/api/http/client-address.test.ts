/**
 * Clients cannot choose their IP address: of `X-Forwarded-For`, only entries of trusted proxies
 * count.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNetworks } from '../../egress/ip-address.ts';
import { clientAddress } from './request-origin.ts';

const trusted = parseNetworks('10.0.0.0/8, 192.0.2.1, fd00::/8');

const outside = '203.0.113.9';
type Row = readonly [peer: string, header: string | string[] | undefined, client: string, string];
const rows: readonly Row[] = [
  [outside, undefined, outside, 'no header'],
  [outside, '127.0.0.1', outside, 'an untrusted header'],
  [outside, '10.0.0.1', outside, 'an untrusted client that names the proxy'],
  ['10.0.0.1', outside, outside, 'through our proxy'],
  ['10.0.0.1', `127.0.0.1, ${outside}`, outside, 'what the client sent is on the left, not read'],
  ['10.0.0.1', `198.51.100.1, ${outside}, 192.0.2.1 ,10.9.9.9`, outside, 'three of our proxies'],
  ['10.0.0.1', ['198.51.100.1', `${outside}, 192.0.2.1`], outside, 'in two lines'],
  ['10.0.0.1', '10.0.0.7, 10.0.0.8', '10.0.0.7', 'all are ours'],
  ['10.0.0.1', 'unknown', '10.0.0.1', 'a proxy that does not know'],
  ['10.0.0.1', `${outside},`, '10.0.0.1', 'nothing at the end'],
  ['10.0.0.1', '8.8.8.8, 1.2.3, 10.0.0.2', '10.0.0.2', 'no address'],
  ['10.0.0.1', "1.1.1.1'; drop table", '10.0.0.1', 'words'],
  ['::ffff:10.0.0.1', outside, outside, 'IPv4 inside IPv6'],
  ['::FFFF:a00:1', `::ffff:${outside}`, outside, 'both so'],
  ['fd00::1', '2001:db8::7', '2001:db8::7', 'IPv6'],
  ['fd00:0:0:0::1%eth0', '2001:DB8::7', '2001:DB8::7', 'with a zone'],
  ['fd00::1', '[2001:db8::7]:4711', '2001:db8::7', 'with a port'],
  ['fd00::1', '[2001:db8::7]', '2001:db8::7', 'in brackets'],
  ['fd00::1', `${outside}:4711`, outside, 'IPv4 with a port'],
  ['fe00::1', outside, 'fe00::1', 'beside our network'],
];

for (const [peer, forwardedFor, client, why] of rows) {
  test(`${peer} with ${forwardedFor ?? 'no header'}: ${client} (${why})`, () => {
    assert.equal(clientAddress({ peer, forwardedFor }, trusted), client);
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
