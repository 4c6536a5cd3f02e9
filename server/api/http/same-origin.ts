/**
 * Protects sessions against cross-site requests: browsers send the cookie with requests of any
 * page. Requests that change something must come from pages of this service, by `Sec-Fetch-Site`
 * or, in older browsers, by `Origin`.
 */
import { ApiError } from '@vidgen/contract/api-error.ts';

export type RequestHead = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export function requireSameOrigin(
  { method, headers }: RequestHead,
  { publicUrl, rawBody }: { publicUrl: string; rawBody: boolean },
): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (!isSameOrigin(headers, publicUrl)) {
    throw new ApiError(
      'forbidden',
      'Cross-origin request rejected; use the dashboard of this service, or the admin token.',
    );
  }
  if (!isAllowedType(headers, { rawBody })) {
    throw new ApiError(
      'forbidden',
      rawBody
        ? 'The Content-Type header must name the type of the file, such as image/png.'
        : 'The Content-Type header must be application/json.',
    );
  }
}

function isSameOrigin(headers: RequestHead['headers'], publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}

/** Types that other pages may send without a preflight request (Fetch, CORS-safelisted). */
const crossOriginTypes =
  /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

/** A second line of defense. A request without a body needs no type. */
function isAllowedType(
  headers: RequestHead['headers'],
  { rawBody }: { rawBody: boolean },
): boolean {
  const type = String(headers['content-type'] ?? '').trim();
  const length = headers['content-length'];
  const hasBody = headers['transfer-encoding'] !== undefined || (length ?? '0') !== '0';
  if (type === '') return !hasBody;
  return rawBody ? !crossOriginTypes.test(type) : /^application\/json\s*(;|$)/i.test(type);
}
