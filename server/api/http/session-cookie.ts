/**
 * The session cookie. Where browsers accept secure cookies its name starts with `__Host-`, so that
 * neither other hosts nor plain connections can set or read it.
 */
import { sessionDaysMax } from '../../accounts/session.ts';

const plainName = 'vidgen_session';
const loopbackHosts = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Browsers treat loopback as secure, with and without TLS. */
function isSecure(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || loopbackHosts.test(hostname);
}

const cookieName = (publicUrl: string): string =>
  isSecure(publicUrl) ? `__Host-${plainName}` : plainName;

/** Returns the token in a `Cookie` header, or null. */
export function readCookie(header: string | undefined, publicUrl: string): string | null {
  const wanted = `${cookieName(publicUrl)}=`;
  const pair = header?.split(';').find((part) => part.trim().startsWith(wanted));
  const token = pair?.trim().slice(wanted.length);
  return token && /^[\w-]{20,200}$/.test(token) ? token : null;
}

export const sessionCookie = (publicUrl: string, token: string): Record<string, string> => ({
  'set-cookie': cookieOf(publicUrl, { value: token, maxAgeSeconds: sessionDaysMax * 86_400 }),
});

export const clearedCookie = (publicUrl: string): Record<string, string> => ({
  'set-cookie': cookieOf(publicUrl, { value: '', maxAgeSeconds: 0 }),
});

function cookieOf(
  publicUrl: string,
  { value, maxAgeSeconds }: { value: string; maxAgeSeconds: number },
): string {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  const rest = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
  return `${cookieName(publicUrl)}=${value}; ${rest}`;
}
