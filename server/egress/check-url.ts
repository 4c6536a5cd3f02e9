/**
 * Checks the text of an untrusted URL without DNS: at creation, before each request, and on every
 * redirect. A URL that passes must still resolve to a reachable address (`connect.ts`).
 */
import { isIPv4 } from 'node:net';
import { allowedLoopback, isAllowed, mayReach, type Network } from './ip-address.ts';

export type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  /** A rule that follows the field's name, such as "must be …". Never contains the URL. */
  | { readonly ok: false; readonly rule: string };

export type UrlRules = {
  readonly kind: UrlKind;
  readonly allowedNetworks: readonly Network[];
  readonly ownNetworks?: readonly Network[];
};

// Callbacks and materials are typed by customers; an upstream's signed URL can have a long token.
const lengthMax = { callback: 2_048, material: 2_048, result: 8_192 } as const;

const privateSuffixes = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'lan',
  'home',
  'corp',
  'intranet',
  'private',
  'svc',
  'onion',
  'alt',
  'arpa', // Includes home.arpa.
];

/** The host without brackets and trailing dot, the form used in the rest of this folder. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$|\.$/g, '');

/** `localhost` and names below it always mean loopback (RFC 6761, 6.3) and are not resolved. */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost$/.test(host);

const isLiteral = (url: URL): boolean => url.hostname.startsWith('[') || isIPv4(url.hostname);

export const portOf = (url: URL): number =>
  Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port);

export function checkUrl(text: string, rules: UrlRules): CheckedUrl {
  const textRule = violatedTextRule(text, rules.kind);
  if (textRule !== null) return { ok: false, rule: textRule };
  if (!URL.canParse(text)) return { ok: false, rule: 'must be a valid URL' };
  const url = new URL(text);
  url.hash = '';
  const rule = violatedHostRule(url, text) ?? violatedReachRule(url, rules);
  return rule === null ? { ok: true, url } : { ok: false, rule };
}

const schemeRule = (kind: UrlKind): string =>
  kind === 'callback' ? 'must be an https URL' : 'must be an http or https URL';

/** The host and port as written. Only valid for text that starts with a scheme and `//`. */
const authorityOf = (text: string): string =>
  text.replace(/^https?:\/\//i, '').split(/[/?#]/)[0] ?? '';

/**
 * URL parsers disagree about backslashes, control characters and a missing slash, and a later
 * parser may read them differently. No legitimate URL needs them.
 */
function violatedTextRule(text: string, kind: UrlKind): string | null {
  if (!/^\s*https?:\/\/[^/?#]/i.test(text)) {
    // Those with base64 have become files before.
    const isData = kind === 'material' && /^data:/i.test(text);
    return isData ? `${schemeRule(kind)}, or a base64 data URI` : schemeRule(kind);
  }
  if (text.length > lengthMax[kind]) {
    return `must be at most ${lengthMax[kind].toLocaleString('en-US')} characters`;
  }
  if (/[\p{Cc}\p{Z}\\]/u.test(text) || !text.isWellFormed()) {
    return 'must not contain spaces, control characters or backslashes';
  }
  const authority = authorityOf(text);
  if (authority.includes('@')) return 'must not contain a user name or password';
  if (/[%\p{C}]/u.test(authority)) return 'must use plain characters in its host name';
  return null;
}

/** `new URL` has normalized every spelling (octal, short, full-width); the result is checked. */
function violatedHostRule(url: URL, text: string): string | null {
  if (url.port === '0') return 'must be a valid URL';
  if (url.hostname.startsWith('[')) return null;
  if (isIPv4(url.hostname)) {
    const written = authorityOf(text).replace(/:\d*$/, '');
    return written === url.hostname ? null : 'must write its IP address as four decimal numbers';
  }
  const host = hostOf(url);
  const isName = host.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host);
  return isName ? null : 'must have a valid host name';
}

function violatedReachRule(url: URL, rules: UrlRules): string | null {
  const { kind, allowedNetworks, ownNetworks = [] } = rules;
  const host = hostOf(url);
  const literal = isLiteral(url);
  const isReachable = literal && mayReach(host, { allowedNetworks, ownNetworks });
  // Addresses that the operator allowed are exempt from the scheme, name, port and address rules.
  if (isReachable && isAllowed(host, allowedNetworks)) return null;
  if (host === 'localhost' && allowedLoopback(allowedNetworks).length > 0) return null;

  if (kind === 'callback' && url.protocol !== 'https:') return schemeRule(kind);
  if (literal) {
    if (!isReachable) {
      return 'must not point to a private, loopback, link-local or otherwise special address';
    }
  } else {
    const nameRule = violatedNameRule(host, allowedNetworks);
    if (nameRule !== null) return nameRule;
  }
  return violatedPortRule(portOf(url), kind);
}

function violatedNameRule(host: string, allowedNetworks: readonly Network[]): string | null {
  // If a private range is allowed, private names are useful; the addresses they resolve to decide.
  const passes = isLocalhost(host)
    ? allowedLoopback(allowedNetworks).length > 0
    : allowedNetworks.length > 0;
  if (passes) return null;
  if (host === 'localhost') return 'must have a public host name, not localhost';
  if (!host.includes('.')) return 'must have a public host name, not a single word';
  const suffix = privateSuffixes.find((name) => host.endsWith(`.${name}`));
  return suffix === undefined ? null : `must have a public host name, not one ending in .${suffix}`;
}

/** Only a second check: services that must not be reached are rejected by address first. */
const enginePorts = new Set([
  // Databases and search engines.
  1433, 1434, 1521, 3050, 3306, 5432, 5433, 5439, 5984, 6333, 6334, 6432, 6984, 7199, 7473, 7474,
  7687, 8086, 8123, 8529, 8983, 9042, 9142, 9160, 9200, 9300, 19530, 26257, 27017, 27018, 27019,
  28015, 28017, 29015, 33060, 50000,
  // Caches.
  6379, 6380, 11207, 11210, 11211, 16379, 26379,
  // Brokers and their coordinators.
  1883, 2181, 2888, 3888, 4222, 4369, 5671, 5672, 6222, 6650, 6651, 8161, 8222, 8883, 9092, 9093,
  9094, 15672, 25672, 61613, 61614, 61616,
  // Container engines and their coordinators.
  2375, 2376, 2377, 2379, 2380, 4243, 6443, 8500, 10250, 10255,
]);

// Shells, mail, DNS, directories and file shares, from which no upstream serves results.
const servicePorts = new Set([
  21, 22, 23, 25, 53, 69, 110, 111, 119, 135, 137, 139, 143, 161, 179, 389, 445, 465, 512, 513, 514,
  515, 548, 554, 587, 636, 873, 989, 990, 993, 995,
]);

export type UrlKind = 'callback' | 'material' | 'result';

/** Returns the rule that a port breaks, or null if it is allowed. */
function violatedPortRule(port: number, kind: UrlKind): string | null {
  if (enginePorts.has(port)) {
    const owner = 'a database, cache, broker or container engine';
    return `must not use port ${port}, which belongs to ${owner}`;
  }
  if (port >= 1024 || port === 443) return null;
  if (kind === 'callback') return 'must use port 443, or 1024 and up';
  if (port === 80) return null;
  if (kind === 'result' && !servicePorts.has(port)) return null;
  return 'must use port 80 or 443, or 1024 and up';
}
