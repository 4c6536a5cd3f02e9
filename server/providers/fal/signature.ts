/**
 * Whether a callback really comes from fal: Ed25519 over its request, user, time and the hash of
 * its body, by any key of the set that fal publishes.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { CallbackRequest } from '../provider.ts';
import { asRecord } from '../toolkit/response-values.ts';

/** How old, or how far ahead, a callback may be: fal's own page says five minutes. */
const toleranceSeconds = 5 * 60;

/** Why it is not to be believed; null when it is fresh and signed with one of the keys. */
export function signatureProblem(
  { headers, body }: Pick<CallbackRequest, 'headers' | 'body'>,
  { keys, nowSeconds }: { readonly keys: readonly KeyObject[]; readonly nowSeconds: number },
): string | null {
  const requestId = headers['x-fal-webhook-request-id'];
  const userId = headers['x-fal-webhook-user-id'];
  const timestamp = headers['x-fal-webhook-timestamp'];
  const signature = headers['x-fal-webhook-signature'];
  if (!requestId || !userId || !timestamp || !signature) return 'it is not signed';
  if (!/^\d{1,12}$/.test(timestamp)) return 'its time cannot be read';
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return 'it is not of this time';
  if (!/^[\da-f]{128}$/i.test(signature)) return 'its signature cannot be read';
  const hash = createHash('sha256').update(body).digest('hex');
  const message = Buffer.from([requestId, userId, timestamp, hash].join('\n'));
  const given = Buffer.from(signature, 'hex');
  const isValid = keys.some((key) => verify(null, message, key, given));
  return isValid ? null : 'its signature is not right';
}

/** The keys of a set that can be used here; others are left out. */
export function readKeySet(json: unknown): KeyObject[] {
  const keys = asRecord(json)?.keys;
  return (Array.isArray(keys) ? keys : []).flatMap((value) => {
    const { kty, crv, x } = asRecord(value) ?? {};
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return [];
    try {
      return [createPublicKey({ key: { kty, crv, x }, format: 'jwk' })];
    } catch {
      return [];
    }
  });
}
