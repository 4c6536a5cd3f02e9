/**
 * The session cookie, and the form of all cookies. Where browsers accept secure cookies a name
 * starts with `__Host-`, so that neither other hosts nor plain connections can set or read it.
 */
import { sessionDaysMax } from '../../accounts/people/session.ts';

const plainName = 'vidgen_session';
const loopbackHosts = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Browsers treat loopback as secure, with and without TLS. */
function isSecure(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || loopbackHosts.test(hostname);
}

const cookieName = (name: string, publicUrl: string): string =>
  isSecure(publicUrl) ? `__Host-${name}` : name;

export function readCookie(header: string | undefined, publicUrl: string): string | null {
  const token = readCookieValue(header, { name: plainName, publicUrl });
  return token && /^[\w-]{20,200}$/.test(token) ? token : null;
}

/** `name` is without the prefix. */
export function readCookieValue(
  header: string | undefined,
  { name, publicUrl }: { name: string; publicUrl: string },
): string | undefined {
  const wanted = `${cookieName(name, publicUrl)}=`;
  const pair = header?.split(';').find((part) => part.trim().startsWith(wanted));
  return pair?.trim().slice(wanted.length);
}

export const sessionCookie = (publicUrl: string, token: string): string =>
  cookieOf(publicUrl, { name: plainName, value: token, maxAgeSeconds: sessionDaysMax * 86_400 });

export const clearedCookie = (publicUrl: string): Record<string, string> => ({
  'set-cookie': cookieOf(publicUrl, { name: plainName, value: '', maxAgeSeconds: 0 }),
});

export function cookieOf(
  publicUrl: string,
  { name, value, maxAgeSeconds }: { name: string; value: string; maxAgeSeconds: number },
): string {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  const rest = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
  return `${cookieName(name, publicUrl)}=${value}; ${rest}`;
}
