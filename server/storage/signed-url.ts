/**
 * Signed URLs of results, which anyone who has one can open until it expires. Without the secret no
 * one can create one or change it to another task, another file or a later expiry.
 */
import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';

type SignedUrlTarget = {
  readonly taskId: string;
  /** The last part of the key, such as `video.mp4`. */
  readonly name: string;
};

export function signUrl({
  publicUrl,
  secret,
  taskId,
  name,
  expiresAt,
}: SignedUrlTarget & {
  readonly publicUrl: string;
  readonly secret: string;
  readonly expiresAt: Date;
}): string {
  const seconds = expiresAt.getTime() / 1000;
  assert(seconds >= 1 && seconds < 1e11, 'a signed URL needs a valid expiry');
  // Rounded down: a URL may expire slightly before its result, never after it.
  const expires = String(Math.floor(seconds));
  const signature = signatureOf({ secret, taskId, name, expires });
  const path = `results/${encodeURIComponent(taskId)}/${encodeURIComponent(name)}`;
  return `${publicUrl.replace(/\/{1,9}$/, '')}/${path}?expires=${expires}&signature=${signature}`;
}

/** `expires` and `signature` are the raw query parameters. */
export function verifySignedUrl({
  secret,
  taskId,
  name,
  expires,
  signature,
  nowSeconds,
}: SignedUrlTarget & {
  readonly secret: string;
  readonly expires: string;
  readonly signature: string;
  readonly nowSeconds: number;
}): 'valid' | 'expired' | 'invalid_signature' {
  // Only one spelling per time, so that the compared text is exactly what was signed.
  if (!/^[1-9][0-9]{0,10}$/.test(expires)) return 'invalid_signature';
  const expected = signatureOf({ secret, taskId, name, expires });
  if (!signaturesEqual(expected, signature)) return 'invalid_signature';
  return nowSeconds < Number(expires) ? 'valid' : 'expired';
}

function signatureOf({
  secret,
  taskId,
  name,
  expires,
}: SignedUrlTarget & { readonly secret: string; readonly expires: string }): string {
  return signParts(secret, ['result address', taskId, name, expires]);
}

/** JSON gives different lists different texts; the first part separates uses of the secret. */
export function signParts(secret: string, parts: readonly string[]): string {
  assert(secret.length >= 16, 'the signing secret is too short');
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
}

/** Compares in constant time. */
export function signaturesEqual(expected: string, actual: string): boolean {
  const one = Buffer.from(expected);
  const other = Buffer.from(actual);
  return one.length === other.length && timingSafeEqual(one, other);
}
