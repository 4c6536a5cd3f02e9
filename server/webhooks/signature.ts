/**
 * Signatures of calls, after Standard Webhooks: `v1,` and the HMAC-SHA-256 of `id.timestamp.body`.
 * Any receiver's Standard Webhooks library verifies them; nobody without the account's secret can.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard Webhooks asks for 24 to 64 bytes; 24 need no padding in base64. */
const secretBytes = 24;
const secretBytesMin = 24;
const secretBytesMax = 64;
/** How old, or how far ahead, a call may be: Standard Webhooks libraries use five minutes. */
const toleranceSeconds = 5 * 60;

export type WebhookToSign = {
  readonly id: string;
  readonly timestampSeconds: number;
  /** The exact text that is sent: a receiver signs the bytes it got. */
  readonly body: string;
};

/** A new secret for an account; shown to its owner, who verifies our calls with it. */
export const generateSecret = (): string =>
  secretPrefix + randomBytes(secretBytes).toString('base64');

/**
 * The `webhook-signature` header. While a secret is being rotated there are two: a signature for
 * each, separated by a space, so that receivers with the old and with the new one both accept.
 */
export function sign(webhook: WebhookToSign, secrets: readonly string[]): string {
  assert(secrets.length > 0, 'a call is signed with at least one secret');
  // A dot is what separates the parts, so it may stand in the last one only.
  assert(/^[^.]+$/.test(webhook.id), 'a webhook-id holds no dot');
  return secrets.map((secret) => signOnce(webhook, secret)).join(' ');
}

function signOnce({ id, timestampSeconds, body }: WebhookToSign, secret: string): string {
  assert(Number.isSafeInteger(timestampSeconds), 'a timestamp is in whole seconds');
  const digest = createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.${body}`);
  return `v1,${digest.digest('base64')}`;
}

function keyOf(secret: string): Buffer {
  assert(secret.startsWith(secretPrefix), 'a webhook secret starts with whsec_');
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  assert(
    key.length >= secretBytesMin && key.length <= secretBytesMax,
    `a webhook secret holds ${secretBytesMin} to ${secretBytesMax} bytes`,
  );
  return key;
}

export type WebhookToVerify = {
  /** The three headers, as they came. */
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
};

/** What a receiver does: true when it is fresh and any signature is by any of the secrets. */
export function verify(
  webhook: WebhookToVerify,
  { secrets, nowSeconds }: { readonly secrets: readonly string[]; readonly nowSeconds: number },
): boolean {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(webhook.timestamp) || !/^[^.]+$/.test(webhook.id))
    return false;
  const timestampSeconds = Number(webhook.timestamp);
  if (Math.abs(nowSeconds - timestampSeconds) > toleranceSeconds) return false;
  const expected = secrets.map((secret) =>
    signOnce({ id: webhook.id, timestampSeconds, body: webhook.body }, secret),
  );
  return webhook.signature.split(' ').some((given) => expected.some((own) => isSame(given, own)));
}

/** Compares in a time that does not tell how much of it was right. */
function isSame(given: string, own: string): boolean {
  const [givenBytes, ownBytes] = [Buffer.from(given), Buffer.from(own)];
  return givenBytes.length === ownBytes.length && timingSafeEqual(givenBytes, ownBytes);
}
