/**
 * Spellings without end, from a seed: hosts in every way to write them, disguised, beside baits, in
 * good and bad frames, as names, and as what a public host redirects to.
 */
import type { AddressKind } from '../../../server/egress/ports.ts';
import { drawAddress, drawPublic } from './address-draws.ts';
import { Chance } from './chance.ts';
import { behindBait, besideBait, disguise } from './disguises.ts';
import { spellIpv4 } from './ipv4-spellings.ts';
import { spellIpv6 } from './ipv6-spellings.ts';
import { type DrawnName, drawLocalName, drawName } from './name-spellings.ts';
import { redirectPath, type Spelling, sensorPorts } from './spelling.ts';

export function* spellings(seed: number): Generator<Spelling, never> {
  const chance = new Chance(seed);
  for (let number = 0; ; number += 1) {
    const label = `n${number}`;
    yield chance.weigh([
      [20, () => spellLiteral(chance)],
      [4, () => spellName(chance, drawName(chance, label))],
      [1, () => spellName(chance, drawLocalName(chance))],
      [3, () => spellRedirect(chance, label)],
    ])();
  }
}

type Frame = {
  readonly before: string;
  readonly after: string;
  /** For which it is as it should be. */
  readonly goodFor: readonly AddressKind[];
};

const paths = ['/', '/hook', '', '/hook?a=b', '/hook#part', '/?next=https://127.0.0.1/', '/a/../b'];
const oddStarts = [
  'ftp://',
  'file://',
  'gopher://',
  'ws://',
  'wss://',
  'unix://',
  'dict://',
  'https:',
  'https:/',
  'https:///',
  'https:\\\\',
  'https:/\\',
  '//',
  '\\\\',
  '',
  ' https://',
  '\thttps://',
  'https://\t',
  'ht\ntps://',
  'view-source:https://',
  'blob:https://',
  'javascript://',
];

function drawFrame(chance: Chance): Frame {
  const portIn = (ports: readonly number[]) => (chance.isOneIn(2) ? '' : `:${chance.pick(ports)}`);
  const path = chance.pick(paths);
  return chance.weigh<() => Frame>([
    [
      6,
      () => {
        const before = chance.pick(['https://', 'https://', 'https://', 'HTTPS://', 'hTTps://']);
        const after = `${portIn(sensorPorts.secure)}${path}`;
        return { before, after, goodFor: ['callback', 'material', 'result'] };
      },
    ],
    [
      2,
      () => {
        const after = `${portIn([80, 3000])}${path}`;
        return { before: 'http://', after, goodFor: ['material', 'result'] };
      },
    ],
    [
      1,
      () => {
        const before = chance.pick(['http://', 'https://']);
        return { before, after: `:${chance.pick(sensorPorts.plain)}${path}`, goodFor: [] };
      },
    ],
    [1, () => ({ before: chance.pick(oddStarts), after: path, goodFor: [] })],
  ])();
}

function spellLiteral(chance: Chance): Spelling {
  const address = chance.isOneIn(4) ? drawPublic(chance) : drawAddress(chance);
  const spelled = (address.family === 4 ? spellIpv4 : spellIpv6)(chance, address.value);
  const { host, way, isPlain } = dressed(chance, spelled);
  if (chance.isOneIn(10)) return baited(chance, { host, way, isGood: address.isPublic });
  const frame = drawFrame(chance);
  return {
    url: `${frame.before}${host}${frame.after}`,
    way,
    names: {},
    hops: [],
    // Odd ways to write a public address may be refused; they never lead anywhere else.
    targets: address.isPublic ? [address.text] : [],
    isAmbiguous: false,
    mustArrive: address.isPublic && isPlain ? frame.goodFor : [],
    isTextEnough: !address.isPublic,
  };
}

type Dressed = { readonly host: string; readonly way: string; readonly isPlain: boolean };

function dressed(chance: Chance, plain: Dressed): Dressed {
  if (!chance.isOneIn(3)) return plain;
  const { host, way } = disguise(chance, plain.host);
  if (host === plain.host) return plain;
  return { host, way: `${plain.way}, ${way}`, isPlain: false };
}

/** Beside another host, so that careless parsers mistake one for the other. */
function baited(
  chance: Chance,
  { host, way, isGood }: { host: string; way: string; isGood: boolean },
): Spelling {
  const bait = drawPublic(chance, 4).text;
  const isBaitMeant = chance.isOneIn(3);
  const both = { host, bait };
  const text = isBaitMeant ? behindBait(chance, both) : besideBait(chance, both);
  return {
    url: `https://${text}/`,
    way: `${way}, beside a bait`,
    names: {},
    hops: [],
    targets: isBaitMeant ? [bait] : [],
    isAmbiguous: isGood,
    mustArrive: [],
    isTextEnough: !isBaitMeant && !isGood,
  };
}

function spellName(chance: Chance, drawn: DrawnName): Spelling {
  const { host, way, isPlain } = dressed(chance, {
    host: chance.isOneIn(6) ? `${drawn.name}.` : drawn.name,
    way: drawn.way,
    isPlain: true,
  });
  const frame = drawFrame(chance);
  const isGood = isPlain && drawn.targets.length > 0;
  // Asked for once by each kind, the callback first: a name that changes is good for one of them.
  const goodFor = drawn.isRebinding
    ? frame.goodFor.filter((kind) => kind === 'callback')
    : frame.goodFor;
  return {
    url: `${frame.before}${host}${frame.after}`,
    way,
    names: { [drawn.name]: drawn.records },
    hops: [],
    targets: drawn.targets,
    isAmbiguous: false,
    mustArrive: isGood ? goodFor : [],
    isTextEnough: drawn.isTextEnough,
  };
}

/** A public host that sends whoever follows on to another spelling, at once or by further hops. */
function spellRedirect(chance: Chance, label: string): Spelling {
  const target = chance.weigh([
    [4, () => spellLiteral(chance)],
    [1, () => spellName(chance, drawName(chance, label))],
    [1, () => spellName(chance, drawLocalName(chance))],
  ])();
  // A header cannot hold them, and a parser drops them.
  const whole = target.url.replace(/[\r\n]/g, '');
  const isRelative = chance.isOneIn(6);
  const hops = chance.pick([1, 1, 1, 1, 1, 1, 2, 3, 4]);
  const names: Record<string, Spelling['names'][string]> = { ...target.names };
  const addresses: string[] = [];
  let url = isRelative ? whole.replace(/^https?:/i, '') : whole;
  for (let hop = 0; hop < hops; hop += 1) {
    const name = `${label}-hop${hop}.ssrf-lab.net`;
    const address = drawPublic(chance, 4).text;
    names[name] = { A: [address] };
    addresses.push(address);
    const status = chance.pick([301, 302, 303, 307, 308]);
    const scheme = chance.isOneIn(5) ? 'https' : 'http';
    url = `${scheme}://${name}${redirectPath({ status, to: url })}`;
  }
  const isFollowed = hops <= 3 && !isRelative;
  return {
    url,
    way: `redirect to ${target.way}`,
    names,
    hops: addresses,
    targets: target.targets,
    // A redirect is folded before it is judged: an odd number is then somebody else's address.
    isAmbiguous: !isClear(target),
    mustArrive: isFollowed ? target.mustArrive.filter((kind) => kind !== 'callback') : [],
    isTextEnough: false,
  };
}

const isClear = ({ url, way, isAmbiguous }: Spelling): boolean =>
  !isAmbiguous &&
  /^https?:\/\/[\w.:[\]-]+([/?#]|$)/i.test(url) &&
  /^(IPv[46] plain|(local )?name(, (public|private|mixed|alias|rebinding))?)$/.test(way);
