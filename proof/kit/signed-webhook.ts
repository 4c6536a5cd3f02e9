/**
 * Webhooks of the vendors that sign by Standard Webhooks, signed by a library that is not the
 * service's own.
 */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { unixSeconds } from '../../server/process/clock.ts';

export type SignedWebhook = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const secretBytes = Buffer.from('a secret of the fake, 32 bytes..');
export const webhookSecret = `whsec_${secretBytes.toString('base64')}`;

export function signWebhook(
  payload: unknown,
  { secret = webhookSecret, atSeconds = unixSeconds() } = {},
): SignedWebhook {
  const body = JSON.stringify(payload);
  const id = `msg_${randomBytes(8).toString('hex')}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(atSeconds),
      'webhook-signature': new Webhook(secret).sign(id, new Date(atSeconds * 1000), body),
    },
  };
}
