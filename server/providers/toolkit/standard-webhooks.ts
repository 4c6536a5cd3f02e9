/**
 * Whether a callback really comes from an upstream that signs after Standard Webhooks: `v1,` and
 * the HMAC-SHA-256 of `id.timestamp.body`, over the very bytes that came.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CallbackRequest } from '../provider.ts';

/** How old, or how far ahead, a callback may be: Standard Webhooks libraries use five minutes. */
const toleranceSeconds = 5 * 60;
const secretPrefix = 'whsec_';

/** Why it is not to be believed; null when it is fresh and signed with the secret. */
export function signatureProblem(
  { headers, body }: Pick<CallbackRequest, 'headers' | 'body'>,
  { secret, nowSeconds }: { readonly secret: string; readonly nowSeconds: number },
): string | null {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) return 'it is not signed';
  if (!/^\d{1,12}$/.test(timestamp)) return 'its time cannot be read';
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return 'it is not of this time';
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
  const digest = hmac.digest();
  // While a secret is being changed there are two, separated by a space.
  const isValid = signatures.split(' ').some((signature) => matchesDigest(signature, digest));
  return isValid ? null : 'its signature is not right';
}

/** Secrets are shown with a prefix and in base64; some upstreams take any text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(secretPrefix)
    ? Buffer.from(secret.slice(secretPrefix.length), 'base64')
    : Buffer.from(secret);
}

/** Compares in a time that does not tell how much of it was right. */
function matchesDigest(signature: string, expected: Buffer): boolean {
  if (!signature.startsWith('v1,')) return false;
  const given = Buffer.from(signature.slice('v1,'.length), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
