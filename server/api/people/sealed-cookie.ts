/**
 * Cookies in which the browser keeps what a sign-in needs for its next step, encrypted, for ten
 * minutes: the step fails in another browser.
 */
import { deriveKey } from '../../accounts/installation-secret.ts';
import { createSealer } from '../../crypto/seal.ts';
import { unixSeconds } from '../../process/clock.ts';
import type { ApiRequest, ApiServices } from '../http/handler.ts';
import { cookieOf, readCookieValue } from '../http/session-cookie.ts';

const maxAgeSeconds = 600;

type SealedCookie<Content> = {
  seal(services: ApiServices, content: Content): string;
  /** Null if the cookie is missing, too old or not ours. */
  open(services: ApiServices, request: Pick<ApiRequest, 'headers'>): Content | null;
  cleared(services: ApiServices): string;
};

/** Each `purpose` has its own key. */
export function sealedCookie<Content extends object>({
  name,
  purpose,
}: {
  readonly name: string;
  readonly purpose: string;
}): SealedCookie<Content> {
  const createCookieSealer = ({ secret }: ApiServices) => createSealer(deriveKey(secret, purpose));
  return {
    seal(services, content) {
      const text = JSON.stringify({ ...content, until: unixSeconds() + maxAgeSeconds });
      const value = createCookieSealer(services).seal(name, text).toString('base64url');
      return cookieOf(services.publicUrl(), { name, value, maxAgeSeconds });
    },
    open(services, { headers }) {
      const header = headers.cookie as string | undefined;
      const value = readCookieValue(header, { name, publicUrl: services.publicUrl() });
      if (!value) return null;
      try {
        const text = createCookieSealer(services).open(name, Buffer.from(value, 'base64url'));
        const { until, ...content } = JSON.parse(text);
        return until > unixSeconds() ? content : null;
      } catch {
        return null;
      }
    },
    cleared: ({ publicUrl }) => cookieOf(publicUrl(), { name, value: '', maxAgeSeconds: 0 }),
  };
}
