/**
 * Judges the text of an address from outside, without DNS: at creation, again before each request,
 * and on every redirect. What passes still has to resolve to something we may reach (`connect.ts`).
 */
import { isIPv4 } from 'node:net';
import { allowedLoopback, isAllowed, mayReach, type Network } from './ip-address.ts';
import { type UrlKind, violatedPortRule } from './ports.ts';

export type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  /** The end of a sentence that starts with the field's name. It never repeats the address. */
  | { readonly ok: false; readonly rule: string };

export type UrlRules = {
  readonly kind: UrlKind;
  readonly allowedNetworks: readonly Network[];
  readonly ownNetworks?: readonly Network[];
};

// What a customer writes; an upstream's signed address may carry a long token.
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
  'arpa', // Holds home.arpa.
];

/** The host as everything after this file names it: no brackets, no trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$|\.$/g, '');

/** `localhost` and below always mean loopback (RFC 6761, 6.3): no resolver is asked. */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost$/.test(host);

const isLiteral = (url: URL): boolean => url.hostname.startsWith('[') || isIPv4(url.hostname);

/** The port a request goes to, the default of its scheme included. */
export const portOf = (url: URL): number =>
  Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port);

export function checkUrl(text: string, rules: UrlRules): CheckedUrl {
  const textRule = violatedTextRule(text, rules.kind);
  if (textRule !== null) return { ok: false, rule: textRule };
  if (!URL.canParse(text)) return { ok: false, rule: 'must be a valid address' };
  const url = new URL(text);
  url.hash = '';
  const rule = violatedHostRule(url, text) ?? violatedReachRule(url, rules);
  return rule === null ? { ok: true, url } : { ok: false, rule };
}

const schemeRule = (kind: UrlKind): string =>
  kind === 'callback' ? 'must be an https address' : 'must be an http or https address';

/** The host and port as written. Only meaningful for text that starts with a scheme and `//`. */
const authorityOf = (text: string): string =>
  text.replace(/^https?:\/\//i, '').split(/[/?#]/)[0] ?? '';

/**
 * Parsers disagree about backslashes, control characters and a missing slash, and one after us may
 * read them otherwise. Nobody writes them on purpose.
 */
function violatedTextRule(text: string, kind: UrlKind): string | null {
  if (!/^\s*https?:\/\/[^/?#]/i.test(text)) return schemeRule(kind);
  if (text.length > lengthMax[kind]) {
    return `must be at most ${lengthMax[kind].toLocaleString('en-US')} characters`;
  }
  if (/[\p{Cc}\p{Z}\\]/u.test(text) || !text.isWellFormed()) {
    return 'must not contain spaces, control characters or backslashes';
  }
  const authority = authorityOf(text);
  if (authority.includes('@')) return 'must not contain a user name or password';
  if (/[%\p{C}]/u.test(authority)) return 'must spell its host name in plain characters';
  return null;
}

/**
 * `new URL` has folded every spelling (octal, short, full-width) to one form; that one is judged.
 */
function violatedHostRule(url: URL, text: string): string | null {
  if (url.port === '0') return 'must be a valid address';
  if (url.hostname.startsWith('[')) return null;
  if (isIPv4(url.hostname)) {
    const written = authorityOf(text).replace(/:\d*$/, '');
    return written === url.hostname ? null : 'must write its IP address as four plain numbers';
  }
  const host = hostOf(url);
  const isName = host.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host);
  return isName ? null : 'must have a valid host name';
}

function violatedReachRule(url: URL, rules: UrlRules): string | null {
  const { kind, allowedNetworks, ownNetworks = [] } = rules;
  const host = hostOf(url);
  const literal = isLiteral(url);
  // What an operator allowed by its address is exempt from scheme, name, port and address rules.
  if (literal && isAllowed(host, allowedNetworks)) return null;
  if (host === 'localhost' && allowedLoopback(allowedNetworks).length > 0) return null;

  if (kind === 'callback' && url.protocol !== 'https:') return schemeRule(kind);
  if (literal) {
    if (!mayReach(host, { allowedNetworks, ownNetworks })) {
      return 'must not point to a private, loopback, link-local or otherwise special address';
    }
  } else {
    const nameRule = violatedNameRule(host, allowedNetworks);
    if (nameRule !== null) return nameRule;
  }
  return violatedPortRule(portOf(url), kind);
}

function violatedNameRule(host: string, allowedNetworks: readonly Network[]): string | null {
  // Where a private range is allowed, private names have a use; what they resolve to decides.
  const passes = isLocalhost(host)
    ? allowedLoopback(allowedNetworks).length > 0
    : allowedNetworks.length > 0;
  if (passes) return null;
  if (host === 'localhost') return 'must have a public host name, not localhost';
  if (!host.includes('.')) return 'must have a public host name, not a single word';
  const suffix = privateSuffixes.find((name) => host.endsWith(`.${name}`));
  return suffix === undefined ? null : `must have a public host name, not one ending in .${suffix}`;
}
