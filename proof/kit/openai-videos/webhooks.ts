/** OpenAI's webhooks about finished videos: one URL for the whole project. */
import { randomBytes } from 'node:crypto';
import { unixSeconds } from '../../../server/process/clock.ts';
import { type SignedWebhook, signWebhook } from '../signed-webhook.ts';
import type { FakeVideo } from './videos.ts';

export function signEvent(
  { id, status }: Pick<FakeVideo, 'id' | 'status'>,
  { atSeconds = unixSeconds(), ...options }: { secret?: string; atSeconds?: number } = {},
): SignedWebhook {
  const event = {
    id: `evt_${randomBytes(8).toString('hex')}`,
    object: 'event',
    created_at: atSeconds,
    type: `video.${status}`,
    data: { id },
  };
  return signWebhook(event, { atSeconds, ...options });
}
