/**
 * The headers of every response: no content sniffing, no referrer, and nothing in it may run. Pages
 * override the content security policy.
 */

const baseHeaders = {
  'x-content-type-options': 'nosniff',
  // URLs of the service may contain a signature.
  'referrer-policy': 'no-referrer',
} as const;

/** OWASP, REST Security: JSON opened as a page is inert and cannot be framed. */
const inertHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * Files get no policy: their types cannot run scripts, and the policy would also apply to the page
 * in which browsers play a video that is opened directly.
 */
export const securityHeaders = ({
  isFile,
}: {
  readonly isFile: boolean;
}): Readonly<Record<string, string>> =>
  isFile ? baseHeaders : { ...baseHeaders, ...inertHeaders };
