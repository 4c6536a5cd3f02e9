/**
 * Signs webhooks after Standard Webhooks: `v1,` and the HMAC-SHA-256 of `id.timestamp.body`. Any
 * Standard Webhooks library can verify them with the account's secret.
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
  /** The exact text that is sent: receivers verify the bytes they received. */
  readonly body: string;
};

/**
 * Returns the `webhook-signature` header. During a rotation it holds one signature per secret,
 * separated by a space, so that receivers with the old or the new secret accept it.
 */
export function sign(webhook: WebhookToSign, secrets: readonly string[]): string {
  assert(secrets.length > 0, 'a webhook is signed with at least one secret');
  // Dots separate the parts, so only the last part may contain one.
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
