/**
 * Draws URLs that are written to get past the guard: addresses in and beside every special range,
 * in any spelling and disguise, beside baits, as names, and as the target of redirects.
 */
import fc from 'fast-check';
import type { DnsRecords } from '../../kit/dns-server.ts';
import { redirectPath, sensorPorts, type UrlVariant } from './check-variant.ts';
import { isPublicPerRegistry, specialIpv4, words } from './oracle.ts';

/** The first and the last address of every special range, and their neighbors. */
const edges = specialIpv4.flatMap((range) => {
  const [base = '', bits] = range.split('/');
  const first = base.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const size = 2 ** (32 - Number(bits));
  return [first - 1, first, first + 1, first + size - 1, first + size];
});
const ipv4Number = fc.oneof(
  fc.constantFrom(...edges.filter((address) => address >= 0 && address < 2 ** 32)),
  fc.nat(2 ** 32 - 1),
);

const octetsOf = (address: number): number[] =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
const dotted = (address: number): string => octetsOf(address).join('.');
const groupsOf = (address: number): string =>
  [address >>> 16, address & 0xffff].map((group) => group.toString(16)).join(':');

const specialIpv6 = words(`
  :: ::1 100::1 fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fec0::1 ff02::1 5f00::1 4000::1
  2001::1 2001:2::1 2001:db8::1 2002::1 2620:4f:8000::1 3ffe::1 3fff::1
`);
/** IPv6 addresses that routers, kernels or tunnels translate to the embedded IPv4 address. */
const embedded = (address: number): string[] => [
  ...['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2a00:1450::5efe:'].flatMap(
    (prefix) => [prefix + dotted(address), prefix + groupsOf(address)],
  ),
  `2a00:1450::200:5efe:${dotted(address)}`,
  `2002:${groupsOf(address)}::1`,
  `2001:0:1:2:3:4:${groupsOf(~address)}`,
];

/** The ways in which some parser accepts an IPv4 address, and some that none should. */
function ipv4Spellings(address: number): string[] {
  const octets = octetsOf(address);
  const plain = dotted(address);
  const [a, b, c] = octets;
  const octal = (value: number) => `0${value.toString(8)}`;
  const hex = (value: number) => `0x${value.toString(16)}`;
  return [
    plain,
    ...[String(address), octal(address), hex(address), hex(address).toUpperCase()],
    ...[`0x000000${address.toString(16)}`, `0o${address.toString(8)}`, `0b${address.toString(2)}`],
    ...[octets.map(octal), octets.map(hex), octets.map((one) => `00${one}`)].map((parts) =>
      parts.join('.'),
    ),
    // With fewer than four parts, the last one has all remaining bits (inet_aton).
    ...[
      `${a}.${address & 0xffffff}`,
      `${a}.${b}.${address & 0xffff}`,
      `${hex(a!)}.${b}.${octal(c!)}`,
    ],
    // Multiples of 256 or 2^32, which wrong arithmetic drops.
    ...[String(address + 2 ** 32), octets.map((one) => one + 256).join('.')],
    ...[`${plain}.`, `${plain}..`, `.${plain}`, `[${plain}]`, `${plain}%00`, `${plain},8.8.8.8`],
    ...[
      `${plain}%2f.example.com`,
      `${plain}%00.example.com`,
      `+${plain}`,
      plain.replaceAll('.', ','),
    ],
  ];
}

function ipv6Spellings(address: string): string[] {
  const bare = [`[${address}`, `${address}]`, `%5B${address}%5D`, `［${address}］`, address];
  const zones = ['%25lo', '%lo', '%251', '%25', '%25eth0'].map((zone) => `[${address}${zone}]`);
  return [
    ...[`[${address}]`, `[${address.toUpperCase()}]`, `[${address.replace('::', ':0:0:')}]`],
    ...[`[${address.replace('::', '::0000:')}]`, `[${address.replace('::', ':::')}]`],
    ...[`[[${address}]]`, `[${address}].`, `[${address}].example.com`, `[${address}/128]`],
    ...bare,
    ...zones,
  ];
}

const ipv6 = fc.oneof(
  fc.constantFrom(...specialIpv6),
  fc.ipV6(),
  ipv4Number.chain((address) => fc.constantFrom(...embedded(address))),
);
const addressHost = fc.oneof(
  { weight: 3, arbitrary: ipv4Number.chain((one) => fc.constantFrom(...ipv4Spellings(one))) },
  { weight: 2, arbitrary: ipv6.chain((one) => fc.constantFrom(...ipv6Spellings(one))) },
);

/** Shifts characters to those that normalize to them. */
const shifted = (pattern: RegExp, from: number, to: number) => (host: string) =>
  host.replace(pattern, (one) => String.fromCodePoint(to + one.codePointAt(0)! - from));
const percent = (host: string): string =>
  [...Buffer.from(host)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const between = (inserted: string) => (host: string) =>
  host.slice(0, host.length >> 1) + inserted + host.slice(host.length >> 1);

/** Characters that normalize to plain ones, or are dropped. */
const disguises: readonly ((host: string) => string)[] = [
  ...[0xff10, 0x2080, 0x1d7ce, 0x1d7e2, 0x1d7f6].map((style) => shifted(/\d/g, 0x30, style)),
  ...[0xff41, 0x24d0, 0x1d41a, 0x1d5ba, 0x1d68a].map((style) => shifted(/[a-z]/g, 0x61, style)),
  ...['\u3002', '\uff0e', '\uff61', '\u2024', '%2E', '%E3%80%82'].map(
    (dot) => (host: string) => host.replaceAll('.', dot),
  ),
  ...['\u00ad', '\u200b', '\u2060', '\ufeff', '\ufe0f', '\u180b', '\u200d', '\u034f'].map(between),
  ...['\t', '\n', '\r', ' ', '\0', '\\', '\u00a0', '\u2028', '\u0085', '\u001f'].map(between),
  percent,
  (host) => percent(host).replaceAll('%', '%25'),
  (host) => host.toUpperCase(),
];
const disguised = (host: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 2, arbitrary: host },
    {
      weight: 1,
      arbitrary: fc.tuple(host, fc.constantFrom(...disguises)).map(([one, put]) => put(one)),
    },
  );

const paths = ['/', '/hook', '', '/hook?a=b', '/hook#part', '/?next=https://127.0.0.1/', '/a/../b'];
const oddStarts = [
  ...['ftp://', 'file://', 'gopher://', 'ws://', 'wss://', 'unix://', 'dict://', 'javascript://'],
  ...['https:', 'https:/', 'https:///', 'https:\\\\', 'https:/\\', '//', '\\\\', '', ' https://'],
  ...['\thttps://', 'https://\t', 'ht\ntps://', 'view-source:https://', 'blob:https://'],
];
const portsOf = (ports: readonly number[]) =>
  fc.constantFrom('', ...ports.map((port) => `:${port}`));
const frame = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('https://', 'hTTps://'), portsOf(sensorPorts.secure)),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('http://'), portsOf(sensorPorts.plain)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...oddStarts), fc.constant('')) },
);
const framed = (host: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(frame, host, fc.constantFrom(...paths))
    .map(([[start, port], one, path]) => `${start}${one}${port}${path}`);

/** A host and another one that a wrong parser takes for the target, or the other way round. */
const baits = ['{a}@{b}', '{a}:443@{b}', '{a}%20@{b}', '{a}%23@{b}', '{a}#@{b}', '{a}?@{b}'].concat(
  ...['{a}/@{b}', '{a}\\@{b}', '{a}\\.{b}', ':@{a}', '{b}@{b}@{a}'],
);
const baited = fc
  .tuple(fc.constantFrom(...baits), disguised(addressHost), fc.constantFrom('8.8.8.8', '127.0.0.1'))
  .map(([bait, host, other]) => {
    return `https://${bait.replaceAll('{a}', () => host).replaceAll('{b}', other)}/`;
  });

const zone = 'ssrf-lab.net';
const publicIpv4 = ipv4Number.map(dotted).filter(isPublicPerRegistry);
const specialAddress = ipv4Number.map(dotted).filter((one) => !isPublicPerRegistry(one));
const publicIpv6 = '2606:4700::1111';

/** Public, private, mixed in any order, through aliases, and another response to a second query. */
const records: fc.Arbitrary<DnsRecords> = fc.oneof(
  fc.record({ A: fc.array(publicIpv4, { minLength: 1, maxLength: 12 }) }),
  fc.record({ A: fc.array(ipv4Number.map(dotted), { minLength: 1, maxLength: 12 }) }),
  fc.record({ A: fc.tuple(publicIpv4), AAAA: fc.array(ipv6, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    CNAME: fc.constant([`a.${zone}`, `b.${zone}`]),
    A: fc.tuple(ipv4Number.map(dotted)),
  }),
  fc.record({ A: fc.tuple(publicIpv4), thenA: fc.tuple(specialAddress) }),
  fc.record({
    AAAA: fc.constant([publicIpv6]),
    thenAAAA: fc.tuple(fc.constantFrom(...specialIpv6)),
  }),
);
const localNames = words(`
  localhost a.localhost localhost.localdomain db metadata metadata.google.internal
  kubernetes.default.svc host.docker.internal printer.local router.lan router.home
  router.home.arpa wiki.corp wiki.intranet wiki.private hidden.onion other.alt
`);

/** Takes a label for names, so that no name is looked up by two variants. */
type LabeledVariant = (label: string) => UrlVariant;

const literal: fc.Arbitrary<LabeledVariant> = fc
  .oneof({ weight: 9, arbitrary: framed(disguised(addressHost)) }, { weight: 1, arbitrary: baited })
  .map((url) => () => ({ url, names: {} }));
const named: fc.Arbitrary<LabeledVariant> = fc
  .record({
    url: framed(disguised(fc.constantFrom('{name}', '{name}.'))),
    localName: fc.option(fc.constantFrom(...localNames), { freq: 2 }),
    records,
    special: specialAddress,
  })
  .map(({ url, localName, records: any, special }) => (label) => {
    const name = localName ?? `${label}.${zone}`;
    // A name of this machine or its network; the DNS server resolves it to a special address.
    const answer = localName === null ? any : { A: [special] };
    return { url: url.replace(/\{name\}/i, name), names: { [name]: answer } };
  });
/** A public host that redirects to another variant, directly or by further hops. */
const redirected: fc.Arbitrary<LabeledVariant> = fc
  .record({
    target: fc.oneof(literal, named),
    isRelative: fc.boolean(),
    hops: fc.array(fc.tuple(publicIpv4, fc.constantFrom(301, 302, 303, 307, 308)), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ target, isRelative, hops }) => (label) => {
    const { url: targetUrl, names: targetNames } = target(label);
    const names: Record<string, DnsRecords> = { ...targetNames };
    // A header cannot contain line breaks, and parsers drop them.
    let url = targetUrl.replace(/[\r\n]/g, '');
    if (isRelative) url = url.replace(/^https?:/i, '');
    for (const [at, [address, status]] of hops.entries()) {
      const name = `${label}-hop${at}.${zone}`;
      names[name] = { A: [address] };
      url = `http://${name}${redirectPath({ status, to: url.toWellFormed() })}`;
    }
    return { url, names };
  });

export const anyVariant: fc.Arbitrary<LabeledVariant> = fc.oneof(
  { weight: 6, arbitrary: literal },
  { weight: 3, arbitrary: named },
  { weight: 1, arbitrary: redirected },
);
