/**
 * A GET that follows up to 3 redirects. Every hop is an untrusted URL: its text, the addresses it
 * resolves to and its peer are checked like those of the first, on a new connection.
 */
import { checkUrl } from './check-url.ts';
import type { Guard } from './connect.ts';
import { EgressFailure } from './failure.ts';
import { type GuardedResponse, sendRequest } from './guarded-request.ts';
import type { UrlKind } from './ports.ts';

// Decision 0001, "Material URLs".
const redirectsMax = 3;
const redirectStatuses = [301, 302, 303, 307, 308];

// Headers that may be sent to another origin; any other could be a secret for the first one.
const safeHeaders = ['accept', 'range', 'if-range', 'user-agent'];

type RedirectStart = {
  readonly url: string;
  readonly kind: UrlKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Returns the first response that is not a redirect, and its URL. Throws `EgressFailure`. */
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
    // Servers send URLs in raw UTF-8, which Node decodes as latin1.
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
