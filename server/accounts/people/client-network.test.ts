/** One network has one name, however the IP address is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetwork } from './client-network.ts';

const cases: Readonly<Record<string, readonly (string | undefined)[]>> = {
  '1.2.3.4': [
    '1.2.3.4',
    '::ffff:1.2.3.4',
    '::FFFF:1.2.3.4',
    '::ffff:102:304',
    '0:0:0:0:0:ffff:102:304',
  ],
  '2001:0db8:0000:0001::/64': [
    '2001:db8:0:1::',
    '2001:db8:0:1::1',
    '2001:DB8:0:1:ffff:ffff:ffff:ffff',
    '2001:0db8:0000:0001:0000:0000:0000:0001',
    '2001:db8:0:1:0:0:1.2.3.4',
  ],
  '2001:0db8:0000:0002::/64': ['2001:db8:0:2::1'],
  'fe80:0000:0000:0000::/64': ['fe80::1', 'fe80::1%eth0', 'fe80::2%lo0'],
  '0000:0000:0000:0000::/64': ['::1', '::'],
  // Deprecated IPv4-compatible addresses count as IPv6.
  unknown: [undefined, '', 'localhost', '1.2.3', '01.2.3.4', '1.2.3.4, 5.6.7.8', '[::1]'],
};

for (const [network, addresses] of Object.entries(cases)) {
  test(`${network} is the network of ${addresses.map(String).join(' and ')}`, () => {
    for (const address of addresses) assert.equal(clientNetwork(address), network, address);
  });
}
