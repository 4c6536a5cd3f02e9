/**
 * DNS names for the test's DNS server: public, private, mixed in any order, through aliases, in
 * both families, and with another response to the second query.
 */
import type { DnsRecords } from '../../kit/dns-server.ts';
import { type IpAddress, randomPublic, randomSpecial } from './random-addresses.ts';
import { type SeededRandom, words } from './seeded-random.ts';

export type HostnameVariant = {
  readonly technique: string;
  readonly name: string;
  readonly records: DnsRecords;
};

/** As many as fit into one datagram. */
const answersMax = 12;
const zone = 'ssrf-lab.net';

const textsOf = (addresses: readonly IpAddress[], family: 4 | 6): string[] =>
  addresses.filter((one) => one.family === family).map(({ text }) => text);

function recordsOf(addresses: readonly IpAddress[]): DnsRecords {
  const [A, AAAA] = [textsOf(addresses, 4), textsOf(addresses, 6)];
  return { ...(A.length > 0 ? { A } : {}), ...(AAAA.length > 0 ? { AAAA } : {}) };
}

/** `label` is unique, so that no name is looked up by two variants. */
export function randomHostname(random: SeededRandom, label: string): HostnameVariant {
  const name = `${label}.${zone}`;
  return random.pick([randomAddresses, randomAddresses, randomAlias, randomRebinding])(
    random,
    name,
  );
}

function randomAddresses(random: SeededRandom, name: string): HostnameVariant {
  const isGood = random.isOneIn(2);
  const bad = isGood ? [] : random.list(random.pick([1, 1, 2]), () => randomSpecial(random));
  const count = isGood ? random.pick([1, 1, 2, 3, answersMax]) : random.below(answersMax);
  const good = random.list(count, () => randomPublic(random));
  return {
    technique: isGood ? 'name, public' : good.length > 0 ? 'name, mixed' : 'name, private',
    name,
    records: recordsOf(random.shuffle([...bad, ...good])),
  };
}

function randomAlias(random: SeededRandom, name: string): HostnameVariant {
  const isGood = random.isOneIn(2);
  const ends = [isGood ? randomPublic(random) : randomSpecial(random)];
  const links = random.list(1 + random.below(4), () => `a${random.below(1e6)}.${zone}`);
  return {
    technique: 'name, alias',
    name,
    records: { CNAME: links, ...recordsOf(ends) },
  };
}

/** Public at the first lookup, private at the second one. */
function randomRebinding(random: SeededRandom, name: string): HostnameVariant {
  const family = random.pick([4, 6] as const);
  const good = randomPublic(random, family).text;
  let bad = randomSpecial(random);
  while (bad.family !== family) bad = randomSpecial(random);
  const records =
    family === 4 ? { A: [good], thenA: [bad.text] } : { AAAA: [good], thenAAAA: [bad.text] };
  return {
    technique: 'name, rebinding',
    name,
    records,
  };
}

const localNames = words(`
  localhost a.localhost localhost.localdomain db metadata metadata.google.internal
  kubernetes.default.svc host.docker.internal printer.local router.lan router.home
  router.home.arpa wiki.corp wiki.intranet wiki.private hidden.onion other.alt
`);

/** A name of this machine or its network; the DNS server resolves it to a special address. */
export function randomLocalName(random: SeededRandom): HostnameVariant {
  return {
    technique: 'local name',
    name: random.pick(localNames),
    records: recordsOf([randomSpecial(random)]),
  };
}
