/**
 * The cookie of a known device: a browser in which a person has signed in before. It proves nothing
 * but that, and its sign-ins are throttled apart from those of strangers. It is signed for one
 * email address, so a device cannot become known to another person.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../accounts/installation-secret.ts';
import { normalizeEmail } from '../../accounts/people/person.ts';
import type { ApiRequest, ApiServices } from './handler.ts';
import { cookieOf, readCookieValue } from './session-cookie.ts';

const name = 'vidgen_device';
/** The longest life that browsers allow (RFC 6265bis, 5.5). */
const maxAgeSeconds = 400 * 86_400;
const format = /^([\w-]{22})\.([\w-]{43})$/;

/** Returns the ID of the device if this person has signed in on it, otherwise null. */
export function knownDevice(
  services: ApiServices,
  { headers }: Pick<ApiRequest, 'headers'>,
  email: string,
): string | null {
  const cookie = headers.cookie as string | undefined;
  const value = readCookieValue(cookie, { name, publicUrl: services.publicUrl() });
  const [, id, signature] = format.exec(value ?? '') ?? [];
  if (id === undefined || signature === undefined) return null;
  const expected = signatureOf(services, { id, email });
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? id : null;
}

/** The `Set-Cookie` of a device on which this person has just signed in. */
export function deviceCookie(
  services: ApiServices,
  request: Pick<ApiRequest, 'headers'>,
  email: string,
): string {
  const id = knownDevice(services, request, email) ?? randomBytes(16).toString('base64url');
  const value = `${id}.${signatureOf(services, { id, email })}`;
  return cookieOf(services.publicUrl(), { name, value, maxAgeSeconds });
}

const signatureOf = (
  { secret }: ApiServices,
  { id, email }: { readonly id: string; readonly email: string },
): string =>
  createHmac('sha256', deriveKey(secret, 'known-devices-1'))
    .update(`${id}\n${normalizeEmail(email)}`)
    .digest('base64url');
