/**
 * WaveSpeed, with a model that has one endpoint for each generation type: all generation types.
 * Source: https://wavespeed.ai/docs/submit-task, https://wavespeed.ai/docs/get-result,
 * https://wavespeed.ai/docs/how-to-use-webhooks, https://wavespeed.ai/docs/verify-webhooks
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';
import { sameRatios } from './ratios.ts';

export const wavespeed: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.wavespeed.ai/api/v3',
  apiKey: { env: 'WAVESPEED_API_KEY' },
  models: {
    'vidgen-2-0': 'bytedance/seedance-2.0',
    'vidgen-2-0-fast': 'bytedance/seedance-2.0-fast',
  },
  // Confirmed for seedance-2.0-fast/image-to-video-turbo; each model has its own inputs.
  resolutions: { '720p': '720p', '1080p': '1080p' },
  ratios: { ...sameRatios, '21:9': '21:9' },
  supports: { secondsMax: 15 },
  start: {
    path: {
      'text-to-video': '/{{model}}/text-to-video',
      'image-to-video': '/{{model}}/image-to-video',
      'reference-to-video': '/{{model}}/reference-to-video',
    },
    query: { webhook: '{{callback_url}}' },
    body: {
      prompt: '{{prompt}}',
      resolution: '{{resolution}}',
      aspect_ratio: '{{aspect_ratio}}',
      duration: '{{seconds}}',
      image: '{{first_frame}}',
      last_image: '{{last_frame}}',
      reference_images: '{{image_urls}}',
      reference_videos: '{{video_urls}}',
      // The name of the audio input is not confirmed.
      reference_audios: '{{audio_urls}}',
    },
    operation: 'data.id',
  },
  status: {
    path: '/predictions/{{operation}}/result',
    state: 'data.status',
    states: {
      created: 'queued',
      processing: 'running',
      completed: 'completed',
      failed: 'failed',
      deleted: 'failed',
      timeout: 'expired',
      cancelled: 'cancelled',
    },
    video: 'data.outputs[0]',
  },
  errors: {
    code: 'code',
    message: 'message',
    // `code` is 200 and `message` is success for a prediction that failed.
    status: { message: 'data.error' },
    // Messages of rejected content are not documented; they are the model's own.
    reasons: { '*sensitive*': 'rejected', '*moderation*': 'rejected', '*policy*': 'rejected' },
  },
  // Add `webhookSecret: { env: '…' }` to verify callbacks; `GET /webhook/secret` returns it.
  callbacks: { operation: 'id', signature: 'standard-webhooks-hex', httpsOnly: true },
};

const limits = {
  references: { images: 9, videos: 3, audios: 3, total: 12, secondsMax: 15 },
  // There is no field for it. That it is on by default is not confirmed.
  sound: 'always' as const,
};

export const wavespeedModels = modelsOf(wavespeed, {
  'seedance-2': { upstream: 'bytedance/seedance-2.0', title: 'Seedance 2', ...limits },
  'seedance-2-fast': {
    upstream: 'bytedance/seedance-2.0-fast',
    title: 'Seedance 2 Fast',
    ...limits,
    resolutions: ['720p'],
  },
});
