/**
 * An endless sequence of URL variants from a seed: hosts written in any way, disguised, beside
 * baits, in good and bad URLs, as names, and as the target of redirects.
 */
import { readFileSync } from 'node:fs';
import type { DnsRecords } from '../../kit/dns-server.ts';
import { redirectPath, sensorPorts, type UrlVariant } from './check-variant.ts';
import {
  behindBait,
  besideBait,
  disguiseHost,
  type HostVariant,
  randomAddressText,
} from './host-variants.ts';
import { type HostnameVariant, randomHostname, randomLocalName } from './hostname-variants.ts';
import { randomAddress, randomPublic } from './random-addresses.ts';
import { SeededRandom } from './seeded-random.ts';

export function* urlVariants(seed: number): Generator<UrlVariant, never> {
  const random = new SeededRandom(seed);
  for (let number = 0; ; number += 1) {
    const label = `n${number}`;
    const drawn = random.below(10);
    if (drawn < 6) yield literalVariant(random);
    else if (drawn < 8) yield nameVariant(random, randomHostname(random, label));
    else if (drawn < 9) yield nameVariant(random, randomLocalName(random));
    else yield redirectVariant(random, label);
  }
}

type Frame = { readonly before: string; readonly after: string };

const paths = ['/', '/hook', '', '/hook?a=b', '/hook#part', '/?next=https://127.0.0.1/', '/a/../b'];
const oddStarts = [
  ...['ftp://', 'file://', 'gopher://', 'ws://', 'wss://', 'unix://', 'dict://', 'javascript://'],
  ...['https:', 'https:/', 'https:///', 'https:\\\\', 'https:/\\', '//', '\\\\', '', ' https://'],
  ...['\thttps://', 'https://\t', 'ht\ntps://', 'view-source:https://', 'blob:https://'],
];

function randomFrame(random: SeededRandom): Frame {
  const portIn = (ports: readonly number[]) => (random.isOneIn(2) ? '' : `:${random.pick(ports)}`);
  const path = random.pick(paths);
  const secure = (): Frame => ({
    before: random.pick(['https://', 'https://', 'https://', 'HTTPS://', 'hTTps://']),
    after: `${portIn(sensorPorts.secure)}${path}`,
  });
  const plain = (): Frame => ({
    before: 'http://',
    after: `${portIn([80, 3000])}${path}`,
  });
  const wrongPort = (): Frame => ({
    before: random.pick(['http://', 'https://']),
    after: `:${random.pick(sensorPorts.plain)}${path}`,
  });
  const odd = (): Frame => ({ before: random.pick(oddStarts), after: path });
  return random.pick([secure, secure, secure, plain, wrongPort, odd])();
}

function literalVariant(random: SeededRandom): UrlVariant {
  const address = random.isOneIn(4) ? randomPublic(random) : randomAddress(random);
  const written = randomAddressText(random, address);
  const { host, technique } = disguiseHost(random, written);
  if (random.isOneIn(10)) return baited(random, { host, technique });
  const frame = randomFrame(random);
  return {
    url: `${frame.before}${host}${frame.after}`,
    technique,
    names: {},
  };
}

/** Adds another host that a wrong parser takes for the target. */
function baited(random: SeededRandom, { host, technique }: HostVariant): UrlVariant {
  const bait = randomPublic(random, 4).text;
  const isBaitMeant = random.isOneIn(3);
  const both = { host, bait };
  const text = isBaitMeant ? behindBait(random, both) : besideBait(random, both);
  return {
    url: `https://${text}/`,
    technique: `${technique}, beside a bait`,
    names: {},
  };
}

function nameVariant(random: SeededRandom, hostname: HostnameVariant): UrlVariant {
  const { host, technique } = disguiseHost(random, {
    host: random.isOneIn(6) ? `${hostname.name}.` : hostname.name,
    technique: hostname.technique,
  });
  const frame = randomFrame(random);
  return {
    url: `${frame.before}${host}${frame.after}`,
    technique,
    names: { [hostname.name]: hostname.records },
  };
}

/** A public host that redirects to another variant, directly or by further hops. */
function redirectVariant(random: SeededRandom, label: string): UrlVariant {
  const target = random.pick([
    () => literalVariant(random),
    () => literalVariant(random),
    () => nameVariant(random, randomHostname(random, label)),
    () => nameVariant(random, randomLocalName(random)),
  ])();
  // A header cannot contain these, and parsers drop them.
  const whole = target.url.replace(/[\r\n]/g, '');
  const isRelative = random.isOneIn(6);
  const hops = random.pick([1, 1, 1, 1, 1, 1, 2, 3, 4]);
  const names: Record<string, UrlVariant['names'][string]> = { ...target.names };
  let url = isRelative ? whole.replace(/^https?:/i, '') : whole;
  for (let hop = 0; hop < hops; hop += 1) {
    const name = `${label}-hop${hop}.ssrf-lab.net`;
    const address = randomPublic(random, 4).text;
    names[name] = { A: [address] };
    const status = random.pick([301, 302, 303, 307, 308]);
    const scheme = random.isOneIn(5) ? 'https' : 'http';
    url = `${scheme}://${name}${redirectPath({ status, to: url })}`;
  }
  return {
    url,
    technique: `redirect to ${target.technique}`,
    names,
  };
}

type HostileUrl = {
  readonly url: string;
  readonly category: string;
  readonly dns?: DnsRecords;
};

/** The hand-written hostile URLs of the guard's own tests. */
const file = new URL('../../../server/egress/fixtures/hostile-urls.json', import.meta.url);

export function handWritten(): UrlVariant[] {
  const urls: HostileUrl[] = JSON.parse(readFileSync(file, 'utf8'));
  return urls.map(({ url, category, dns }) => {
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, '') : '';
    return {
      url,
      technique: `by hand: ${category}`,
      names: dns === undefined ? {} : { [host]: dns },
    };
  });
}
