/**
 * Addresses of results that anyone holding one may open, until it expires. Nobody without the
 * secret can make one, nor turn one into an address of another task, another file or a later hour.
 */
import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';

export type SignedUrlTarget = {
  readonly taskId: string;
  /** The last part of the key: `video.mp4`. */
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
  assert(seconds >= 1 && seconds < 1e11, 'an address expires at some moment');
  // Rounded down: an address may end a little before its result, never after it.
  const expires = String(Math.floor(seconds));
  const signature = signatureOf({ secret, taskId, name, expires });
  const path = `results/${encodeURIComponent(taskId)}/${encodeURIComponent(name)}`;
  return `${publicUrl.replace(/\/+$/, '')}/${path}?expires=${expires}&signature=${signature}`;
}

/** `expires` and `signature` are the query's, as they came. */
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
  // One spelling for each moment, so that what is compared below is what was signed.
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

/**
 * As JSON, no two different lists are the same text; the first word keeps it apart from other uses
 * of the secret.
 */
export function signParts(secret: string, parts: readonly string[]): string {
  assert(secret.length >= 16, 'addresses are signed with a secret');
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
}

/** In a time that tells nothing of where they differ. */
export function signaturesEqual(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}
