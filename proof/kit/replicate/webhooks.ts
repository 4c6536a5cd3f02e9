/** Replicate's signed calls, made by a library of Standard Webhooks that is not ours. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { unixSeconds } from '../../../server/clock.ts';

export type SignedReplicateWebhook = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const secretBytes = Buffer.from('a secret of the double, 32 bytes');
export const webhookSecret = `whsec_${secretBytes.toString('base64')}`;

/** The body is the prediction, as a GET would show it. */
export function signWebhook(
  prediction: unknown,
  { secret = webhookSecret, atSeconds = unixSeconds() } = {},
): SignedReplicateWebhook {
  const body = JSON.stringify(prediction);
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
