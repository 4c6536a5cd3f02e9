/**
 * Names for the lab's name server: public, private, and mixtures of the two in every order, through
 * aliases, in both families, and with another answer the second time.
 */
import type { DnsRecords } from '../../kit/dns-server.ts';
import { type Address, drawPublic, drawSpecial } from './address-draws.ts';
import type { Chance } from './chance.ts';

export type DrawnName = {
  readonly way: string;
  readonly name: string;
  readonly records: DnsRecords;
  /** What the first look-up may lead to: nothing, when one answer is not public. */
  readonly targets: readonly string[];
  readonly isRebinding: boolean;
  /** Not to be asked for at all. */
  readonly isTextEnough: boolean;
};

/** As many as fit into one datagram. */
const answersMax = 12;
const zone = 'ssrf-lab.net';

const textsOf = (addresses: readonly Address[], family: 4 | 6): string[] =>
  addresses.filter((one) => one.family === family).map(({ text }) => text);

function recordsOf(addresses: readonly Address[]): DnsRecords {
  const [A, AAAA] = [textsOf(addresses, 4), textsOf(addresses, 6)];
  return { ...(A.length > 0 ? { A } : {}), ...(AAAA.length > 0 ? { AAAA } : {}) };
}

const many = (chance: Chance): number => chance.pick([1, 1, 2, 3, answersMax]);
const publicOnes = (chance: Chance, count: number): Address[] =>
  chance.list(count, () => drawPublic(chance));

/** `label` is its own: no name is asked for twice but by its own spelling. */
export function drawName(chance: Chance, label: string): DrawnName {
  const name = `${label}.${zone}`;
  const rest = { name, isRebinding: false, isTextEnough: false };
  const all = (addresses: readonly Address[]) => addresses.map(({ text }) => text);
  return chance.weigh<() => DrawnName>([
    [
      4,
      () => {
        const good = publicOnes(chance, many(chance));
        return { ...rest, way: 'name, public', records: recordsOf(good), targets: all(good) };
      },
    ],
    [
      4,
      () => {
        const bad = chance.list(chance.pick([1, 1, 2]), () => drawSpecial(chance));
        const good = publicOnes(chance, chance.below(answersMax));
        const records = recordsOf(chance.shuffle([...bad, ...good]));
        const way = good.length > 0 ? 'name, mixed' : 'name, private';
        return { ...rest, way, records, targets: [] };
      },
    ],
    [2, () => drawAlias(chance, name)],
    [2, () => drawRebinding(chance, name)],
  ])();
}

function drawAlias(chance: Chance, name: string): DrawnName {
  const isGood = chance.isOneIn(2);
  const ends = [isGood ? drawPublic(chance) : drawSpecial(chance)];
  const links = chance.list(1 + chance.below(4), () => `a${chance.below(1e6)}.${zone}`);
  return {
    way: 'name, alias',
    name,
    records: { CNAME: links, ...recordsOf(ends) },
    targets: isGood ? ends.map(({ text }) => text) : [],
    isRebinding: false,
    isTextEnough: false,
  };
}

/** Public to whoever checks, private to whoever asks again before connecting. */
function drawRebinding(chance: Chance, name: string): DrawnName {
  const family = chance.pick([4, 6] as const);
  const good = drawPublic(chance, family).text;
  let bad = drawSpecial(chance);
  while (bad.family !== family) bad = drawSpecial(chance);
  const records =
    family === 4 ? { A: [good], thenA: [bad.text] } : { AAAA: [good], thenAAAA: [bad.text] };
  const rest = { isRebinding: true, isTextEnough: false };
  return { way: 'name, rebinding', name, records, targets: [good], ...rest };
}

const localNames = [
  'localhost',
  'a.localhost',
  'localhost.localdomain',
  'db',
  'metadata',
  'metadata.google.internal',
  'kubernetes.default.svc',
  'host.docker.internal',
  'printer.local',
  'router.lan',
  'router.home',
  'router.home.arpa',
  'wiki.corp',
  'wiki.intranet',
  'wiki.private',
  'hidden.onion',
  'other.alt',
] as const;

/** Of this machine or its neighbours by their name; the lab answers them with what they mean. */
export function drawLocalName(chance: Chance): DrawnName {
  return {
    way: 'local name',
    name: chance.pick(localNames),
    records: recordsOf([drawSpecial(chance)]),
    targets: [],
    isRebinding: false,
    isTextEnough: true,
  };
}
