/** The hand-written hostile URLs of the guard's own tests, as variants. */
import { readFileSync } from 'node:fs';
import type { DnsRecords } from '../../kit/dns-server.ts';
import type { UrlVariant } from './url-variant.ts';

type HostileUrl = {
  readonly url: string;
  readonly category: string;
  readonly expect: 'accept' | 'reject';
  readonly layer: 'url' | 'connect' | 'response';
  readonly dns?: DnsRecords;
};

const file = new URL('../../../server/egress/fixtures/hostile-urls.json', import.meta.url);

export function handWritten(): UrlVariant[] {
  const urls: HostileUrl[] = JSON.parse(readFileSync(file, 'utf8'));
  return urls.map(({ url, category, expect, layer, dns }) => {
    const isGood = expect === 'accept';
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$|\.$/g, '') : '';
    const addresses = dns === undefined ? [host] : [...(dns.A ?? []), ...(dns.AAAA ?? [])];
    return {
      url,
      technique: `by hand: ${category}`,
      names: dns === undefined ? {} : { [host]: dns },
      targets: isGood ? addresses : [],
      hops: layer === 'response' ? addresses : [],
      // Some are rejected only as callbacks (a port, plain http); otherwise the oracle decides.
      isAmbiguous: !isGood && layer !== 'response',
      mustArrive: isGood ? ['callback', 'material', 'result'] : [],
      isTextEnough: false,
    };
  });
}
