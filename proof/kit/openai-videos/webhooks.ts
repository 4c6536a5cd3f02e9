/**
 * OpenAI's calls about finished videos: one address for the whole project, signed after Standard
 * Webhooks by a library that is not ours.
 */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { unixSeconds } from '../../../server/clock.ts';
import type { FakeVideo } from './videos.ts';

export type SignedVideoEvent = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const secretBytes = Buffer.from('a secret of the double, 32 bytes');
export const webhookSecret = `whsec_${secretBytes.toString('base64')}`;

export function signEvent(
  { id, status }: Pick<FakeVideo, 'id' | 'status'>,
  { secret = webhookSecret, atSeconds = unixSeconds() } = {},
): SignedVideoEvent {
  const body = JSON.stringify({
    id: `evt_${randomBytes(8).toString('hex')}`,
    object: 'event',
    created_at: atSeconds,
    type: `video.${status}`,
    data: { id },
  });
  const eventId = `wh_${randomBytes(8).toString('hex')}`;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': eventId,
      'webhook-timestamp': String(atSeconds),
      'webhook-signature': new Webhook(secret).sign(eventId, new Date(atSeconds * 1000), body),
    },
  };
}
