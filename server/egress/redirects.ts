/**
 * A GET that follows up to 3 redirects. Every hop is a new address from outside: its text, what it
 * resolves to and its peer are judged like the first one's, on a connection of its own.
 */
import { checkUrl } from './check-url.ts';
import type { Guard } from './connect.ts';
import { EgressFailure } from './failure.ts';
import { type GuardedResponse, sendRequest } from './guarded-request.ts';
import type { UrlKind } from './ports.ts';

// Decisions, "Material URLs".
const redirectsMax = 3;
const redirectStatuses = [301, 302, 303, 307, 308];

// What may go on to another origin: anything else could be a secret meant for the first.
const safeHeaders = ['accept', 'range', 'if-range', 'user-agent'];

export type RedirectStart = {
  readonly url: string;
  readonly kind: UrlKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** The answer that is no redirect, and where it came from. Throws `EgressFailure`. */
export async function followRedirects(
  guard: Guard,
  { url: text, kind, headers, signal }: RedirectStart,
): Promise<{ readonly response: GuardedResponse; readonly url: URL }> {
  let next = text;
  let previous: URL | null = null;
  let sentHeaders = headers;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const checked = checkUrl(next, { kind, ...guard.policy });
    if (!checked.ok) throw new EgressFailure('refused_address');
    const { url } = checked;
    if (previous !== null && previous.origin !== url.origin)
      sentHeaders = safeHeadersOf(sentHeaders);
    const response = await sendRequest(guard, { url, method: 'GET', headers: sentHeaders, signal });
    if (response.headers.location === undefined || !redirectStatuses.includes(response.status)) {
      return { response, url };
    }
    response.body.destroy();
    // Sites send addresses in raw UTF-8, which a header hands over byte by byte.
    const location = Buffer.from(response.headers.location, 'latin1').toString();
    if (!URL.canParse(location, url)) throw new EgressFailure('protocol');
    next = new URL(location, url).href;
    previous = url;
  }
  throw new EgressFailure('redirects');
}

const safeHeadersOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => safeHeaders.includes(name.toLowerCase())),
  );
