/** fal's signed webhooks, and the key set that it publishes. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { unixSeconds } from '../../../server/process/clock.ts';
import type { SignedWebhook } from '../signed-webhook.ts';

/** An Ed25519 key from its seed; the fixed bytes are the PKCS #8 header. */
export const keyFromSeed = (byte: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([
      Buffer.from('302e020100300506032b657004220420', 'hex'),
      Buffer.alloc(32, byte),
    ]),
    format: 'der',
    type: 'pkcs8',
  });

export const jwkOf = (key: KeyObject): Record<string, unknown> => ({
  ...createPublicKey(key).export({ format: 'jwk' }),
});

export const fakeKey = keyFromSeed(7);

export function signWebhook(
  payload: object,
  {
    requestId,
    key = fakeKey,
    atSeconds = unixSeconds(),
  }: { requestId: string; key?: KeyObject; atSeconds?: number },
): SignedWebhook {
  const body = JSON.stringify({ request_id: requestId, gateway_request_id: requestId, ...payload });
  const hash = createHash('sha256').update(body).digest('hex');
  const parts = [requestId, 'user_1', String(atSeconds), hash];
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-fal-webhook-request-id': requestId,
      'x-fal-webhook-user-id': 'user_1',
      'x-fal-webhook-timestamp': String(atSeconds),
      'x-fal-webhook-signature': sign(null, Buffer.from(parts.join('\n')), key).toString('hex'),
    },
  };
}
