/**
 * Signs and verifies webhooks as Standard Webhooks defines it: `v1,` and the HMAC-SHA-256 of
 * `id.timestamp.body`. Used for the webhooks sent to customers and for callbacks of providers.
 */
import assert from 'node:assert/strict';
import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const secretPrefix = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;
const secretBytesMin = 24;
const secretBytesMax = 64;
/** Accepted age of a webhook, in the past and in the future, as in the Standard Webhooks SDKs. */
const toleranceSeconds = 5 * 60;

export type WebhookToSign = {
  readonly id: string;
  readonly timestampSeconds: number;
  /** Exactly as sent: receivers verify the bytes they received. */
  readonly body: string;
};

export const generateSecret = (): string =>
  secretPrefix + randomBytes(secretBytes).toString('base64');

/**
 * Returns the `webhook-signature` header: one signature per secret, separated by spaces. During a
 * rotation there are two secrets, so receivers with the old or the new one accept the webhook.
 */
export function sign(webhook: WebhookToSign, secrets: readonly string[]): string {
  const { id, timestampSeconds, body } = webhook;
  assert(secrets.length > 0, 'a webhook is signed with at least one secret');
  // Dots separate the signed parts, so only the last part may contain one.
  assert(/^[^.]+$/.test(id), 'a webhook-id contains no dot');
  assert(Number.isSafeInteger(timestampSeconds), 'a timestamp is in whole seconds');
  return secrets
    .map((secret) => {
      assert(secret.startsWith(secretPrefix), 'a webhook secret starts with whsec_');
      const key = signingKey(secret);
      const { symmetricKeySize: bytes = 0 } = key;
      assert(
        bytes >= secretBytesMin && bytes <= secretBytesMax,
        `a webhook secret has ${secretBytesMin} to ${secretBytesMax} bytes`,
      );
      const content = `${id}.${timestampSeconds}.${body}`;
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    })
    .join(' ');
}

type WebhookToVerify = {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unparsed: the signature covers these bytes. */
  readonly body: string | Buffer;
};

/** Returns why a webhook is not authentic, or null when it is recent and signed with the secret. */
export function signatureProblem(
  { headers, body }: WebhookToVerify,
  { secret, nowSeconds }: { readonly secret: string; readonly nowSeconds: number },
): string | null {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) return 'signature headers are missing';
  if (id.includes('.')) return 'webhook-id contains a dot';
  const problem = timestampProblem(timestamp, nowSeconds);
  if (problem !== null) return problem;
  const hmac = createHmac('sha256', signingKey(secret));
  const digest = hmac.update(`${id}.${timestamp}.`).update(body).digest();
  // During a rotation the sender includes one signature per secret.
  const isValid = signatures.split(' ').some((signature) => matchesDigest(signature, digest));
  return isValid ? null : 'signature does not match';
}

/** Returns why a signed timestamp in Unix seconds is not accepted, or null. */
export function timestampProblem(timestamp: string, nowSeconds: number): string | null {
  if (!/^\d{1,12}$/.test(timestamp)) return 'timestamp is not a number of seconds';
  const isRecent = Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds;
  return isRecent ? null : 'timestamp is more than five minutes off';
}

/** Keys of secrets that were used before: to make one takes as long as to sign with it. */
const keys = new Map<string, KeyObject>();
const keysMax = 1000;

/**
 * Secrets have a prefix and are base64; some providers also issue plain text. Returns a key object,
 * as Node takes several times as long to sign with a buffer.
 */
function signingKey(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = secret.startsWith(secretPrefix)
    ? createSecretKey(secret.slice(secretPrefix.length), 'base64')
    : createSecretKey(secret, 'utf8');
  if (keys.size >= keysMax) keys.clear();
  keys.set(secret, key);
  return key;
}

/** Compares in constant time. */
function matchesDigest(signature: string, expected: Buffer): boolean {
  if (!signature.startsWith('v1,')) return false;
  const given = Buffer.from(signature.slice('v1,'.length), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
