/**
 * A GET that follows up to 3 redirects. Every hop is an untrusted URL: its text, the addresses it
 * resolves to and its peer are checked like those of the first.
 */
import { checkUrl, type UrlKind } from './check-url.ts';
import type { ChunkAllowance } from './chunk-limit.ts';
import type { Guard } from './connect.ts';
import { EgressFailure } from './failure.ts';
import { type GuardedResponse, sendRequest } from './guarded-request.ts';

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
  readonly chunks?: ChunkAllowance | undefined;
};

/** Returns the first response that is not a redirect, and its URL. Throws `EgressFailure`. */
export async function followRedirects(
  guard: Guard,
  { url: text, kind, headers, ...bounds }: RedirectStart,
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
    const response = await sendGet(guard, { url, method: 'GET', headers: sentHeaders, ...bounds });
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

/** The host may close a kept connection just as it is used again: then a new one is opened. */
async function sendGet(
  guard: Guard,
  request: Parameters<typeof sendRequest>[1],
): Promise<GuardedResponse> {
  const { pool, ...withoutPool } = guard;
  try {
    return await sendRequest(guard, request);
  } catch (error) {
    const isClosed = error instanceof EgressFailure && error.code === 'closed';
    if (!pool || !isClosed || request.signal.aborted) throw error;
    return await sendRequest(withoutPool, request);
  }
}

const safeHeadersOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => safeHeaders.includes(name.toLowerCase())),
  );
