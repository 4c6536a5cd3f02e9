/**
 * Signatures of calls, after Standard Webhooks: `v1,` and the HMAC-SHA-256 of `id.timestamp.body`.
 * Any receiver's Standard Webhooks library verifies them; nobody without the account's secret can.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytesMin = 24;
const secretBytesMax = 64;

export type WebhookToSign = {
  readonly id: string;
  readonly timestampSeconds: number;
  /** The exact text that is sent: a receiver signs the bytes it got. */
  readonly body: string;
};

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
