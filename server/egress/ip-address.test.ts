import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipv4Edges, isPublicPerRegistry } from '../../proof/kit/hostile-hosts.ts';
import {
  allowedLoopback,
  blockLists,
  isAllowed,
  isPublic,
  mayReach,
  parseNetworks,
  readOwnNetworks,
} from './ip-address.ts';

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const ipv4 = octets.map((parts) => parts.join('.'));
const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
const hex = (value: number) => value.toString(16);
const ipv6 = groups.map((parts) => parts.map(hex).join(':'));

test('rejects both ends of every special IPv4 range and accepts their neighbors', () => {
  for (const address of ipv4Edges) {
    assert.equal(isPublic(address), isPublicPerRegistry(address), address);
  }
});

test('accepts IPv6 only inside global unicast and outside its special ranges', () => {
  const accepted = ['2001:200::', '2001:db7::1', '2001:db9::', '2003::1', '2606:4700::1111'];
  accepted.push('2620:4f:7fff::1', '2a00:1450:4001::1', '3ffd::1', '3fff:1000::1', '2000::1');
  for (const address of accepted) assert.ok(isPublic(address), address);
  const blocked = ['::', '::1', '1fff::1', '4000::', 'fe80::1', 'fc00::1', 'ff02::1', 'fec0::1'];
  blocked.push('2001::', '2001:1ff:ffff::', '2001:db8::', '2002::1', '3ffe::1', '3fff:fff::1');
  blocked.push('::ffff:8.8.8.8', '::8.8.8.8', '64:ff9b::808:808', '2620:4f:8000::1', '5f00::1');
  blocked.push('2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:10.0.0.1');
  for (const address of blocked) assert.ok(!isPublic(address), address);
});

test('parses nothing but a plain IP address', () => {
  const variants = ['', ' 8.8.8.8', '8.8.8', '010.8.8.8', '0x8.8.8.8', '8.8.8.8.', '134744072'];
  variants.push('[2606:4700::1111]', '2606:4700::1111%eth0', 'fe80::1%lo', 'localhost', '８.8.8.8');
  for (const text of variants) assert.equal(isPublic(text), false, text);
});

test('agrees with Node’s block list on any address', () => {
  // Half of them inside global unicast, which a random address would rarely hit.
  const global = groups.map(([first = 0, ...rest]) =>
    [0x2000 | (first & 0x1fff), ...rest].map(hex).join(':'),
  );
  fc.assert(
    fc.property(ipv4, fc.oneof(ipv6, global), (four, six) => {
      assert.equal(isPublic(four), !blockLists[4].check(four, 'ipv4'), four);
      assert.equal(isPublic(six), !blockLists[6].check(six, 'ipv6'), six);
    }),
    { numRuns: 20_000 },
  );
});

test('parses every spelling of an IPv6 address to the same number', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
      return isAllowed(address, parseNetworks(canonical));
    }),
    { numRuns: 5_000 },
  );
});

test('a network contains the same addresses as in Node', () => {
  const pairOf = (address: typeof ipv4, bits: number, family: 'ipv4' | 'ipv6') =>
    fc.record({
      base: address,
      prefix: fc.nat(bits),
      other: address,
      family: fc.constant(family),
    });
  const cases = fc.oneof(pairOf(ipv4, 32, 'ipv4'), pairOf(ipv6, 128, 'ipv6'));
  fc.assert(
    fc.property(cases, ({ base, prefix, other, family }) => {
      // Node treats rules that contain ::ffff:0:0/96 specially; this code does not.
      fc.pre(prefix > 0 && !base.startsWith('0:0:0:0:0:'));
      const list = new BlockList();
      list.addSubnet(base, prefix, family);
      const networks = parseNetworks(`${base}/${prefix}`);
      return isAllowed(base, networks) && isAllowed(other, networks) === list.check(other, family);
    }),
  );
});

test('parses a list with commas and spaces, and a single address as its own network', () => {
  const networks = parseNetworks(' 10.0.0.0/8,fd00::/8 127.0.0.1,\n');
  assert.deepEqual(
    networks.map(({ text }) => text),
    ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'],
  );
  assert.ok(isAllowed('127.0.0.1', networks) && !isAllowed('127.0.0.2', networks));
  assert.ok(isAllowed('10.255.0.1', networks) && isAllowed('fdff::1', networks));
  assert.ok(!isAllowed('::ffff:10.0.0.1', networks), 'a mapped address is not in 10.0.0.0/8');
  assert.deepEqual(parseNetworks(''), []);
});

test('names every invalid network at once', () => {
  const text = '10.0.0.0/8, 10/8, 10.0.0.0/33, fd00::/129, lan, 1.2.3.4/8/8, 1.2.3.4/, [::1]/128';
  assert.throws(() => parseNetworks(text), {
    message:
      'must list networks such as 10.0.0.0/8 or fd00::/8; not a network: ' +
      '"10/8", "10.0.0.0/33", "fd00::/129", "lan", "1.2.3.4/8/8", "1.2.3.4/", "[::1]/128"',
  });
});

test('allowed networks win, and a neighbor in a public range is rejected', () => {
  const policy = {
    allowedNetworks: parseNetworks('10.1.0.0/16, 8.8.8.8'),
    ownNetworks: parseNetworks('8.8.8.0/24'),
  };
  assert.ok(mayReach('10.1.2.3', policy) && !mayReach('10.2.0.1', policy));
  assert.ok(mayReach('8.8.8.8', policy) && !mayReach('8.8.8.9', policy));
  assert.ok(mayReach('8.8.9.9', policy));
  const all = { allowedNetworks: parseNetworks('0.0.0.0/0, ::/0'), ownNetworks: [] };
  assert.ok(mayReach('127.0.0.1', all) && mayReach('fd00::1', all));
  assert.ok(!mayReach('169.254.169.254', all) && !mayReach('fd00:ec2::254', all));
});

test('the networks of this machine include its loopback', () => {
  assert.ok(isAllowed('127.0.0.1', readOwnNetworks()));
});

test('localhost means the allowed loopback addresses and no others', () => {
  assert.deepEqual(allowedLoopback(parseNetworks('127.0.0.0/8, ::1')), ['127.0.0.1', '::1']);
  assert.deepEqual(allowedLoopback(parseNetworks('::1/128')), ['::1']);
  assert.deepEqual(allowedLoopback(parseNetworks('127.0.0.2/32, 10.0.0.0/8')), []);
});
