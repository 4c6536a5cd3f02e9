/**
 * A GET that follows up to 3 redirects. Every hop is a new address from outside: its text, what it
 * resolves to and its peer are judged like the first one's, on a connection of its own.
 */
import { checkAddress } from './checked-url.ts';
import type { Guard } from './connect.ts';
import { type ExchangeAnswer, exchange } from './exchange.ts';
import { EgressFailure } from './failure.ts';
import type { AddressKind } from './ports.ts';

// Decisions, "Material URLs".
const redirectsMax = 3;
const redirectStatuses = [301, 302, 303, 307, 308];

// What may go on to another origin: anything else could be a secret meant for the first.
const harmlessHeaders = ['accept', 'range', 'if-range', 'user-agent'];

export type First = {
  readonly url: string;
  readonly kind: AddressKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** The answer that is no redirect, and where it came from. Throws `EgressFailure`. */
export async function follow(
  guard: Guard,
  { url: text, kind, headers, signal }: First,
): Promise<{ readonly answer: ExchangeAnswer; readonly url: URL }> {
  let next = text;
  let previous: URL | null = null;
  let sent = headers;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const verdict = checkAddress(next, { kind, ...guard.reach });
    if (!verdict.ok) throw new EgressFailure('refused_address');
    const { url } = verdict;
    if (previous !== null && previous.origin !== url.origin) sent = harmlessOf(sent);
    const answer = await exchange(guard, { url, method: 'GET', headers: sent, signal });
    if (answer.headers.location === undefined || !redirectStatuses.includes(answer.status)) {
      return { answer, url };
    }
    answer.body.destroy();
    // Sites send addresses in raw UTF-8, which a header hands over byte by byte.
    const location = Buffer.from(answer.headers.location, 'latin1').toString();
    if (!URL.canParse(location, url)) throw new EgressFailure('protocol');
    next = new URL(location, url).href;
    previous = url;
  }
  throw new EgressFailure('redirects');
}

const harmlessOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => harmlessHeaders.includes(name.toLowerCase())),
  );
