/**
 * What stands on every answer, whatever it is: a browser takes it for nothing but what it says it
 * is, tells no other host where it was, and lets nothing in it act. Pages say what they may do
 * beyond that by policies of their own.
 */

const baseHeaders = {
  'x-content-type-options': 'nosniff',
  // Addresses here may carry a signature.
  'referrer-policy': 'no-referrer',
} as const;

/** OWASP, REST Security: data that is opened as a page is an inert one, in no frame. */
const inertHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * Files have types that cannot act, and browsers play a video that is opened alone by a page of
 * their own, which this policy would bind.
 */
export const securityHeaders = ({
  isFile,
}: {
  readonly isFile: boolean;
}): Readonly<Record<string, string>> =>
  isFile ? baseHeaders : { ...baseHeaders, ...inertHeaders };
