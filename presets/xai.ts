/**
 * xAI Grok Imagine: text-to-video, image-to-video, and references of images and audio files.
 * Source: https://docs.x.ai/developers/model-capabilities/video/generation, and the wire of
 * @ai-sdk/xai 5.0.12.
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';
import { sameRatios } from './ratios.ts';

const upTo = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ url: `{{${kind}_${index + 1}}}` }));

export const xai: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.x.ai/v1',
  apiKey: { env: 'XAI_API_KEY' },
  // A last frame and audio references need version 1.5.
  models: { 'vidgen-2-0': 'grok-imagine-video-1.5' },
  resolutions: { '480p': '480p', '720p': '720p', '1080p': '1080p' },
  ratios: sameRatios,
  // References are limited to 720p: @ai-sdk/xai lowers 1080p, for which customers would have paid.
  supports: { secondsMax: 15, resolutions: { 'reference-to-video': ['480p', '720p'] } },
  start: {
    path: '/videos/generations',
    body: {
      model: '{{model}}',
      prompt: '{{prompt}}',
      duration: '{{seconds}}',
      resolution: '{{resolution}}',
      aspect_ratio: '{{aspect_ratio}}',
      generate_audio: '{{sound}}',
      image: { url: '{{first_frame}}' },
      last_frame: { url: '{{last_frame}}' },
      reference_images: upTo('image', 7),
      reference_audios: upTo('audio', 3),
    },
    operation: 'request_id',
  },
  status: {
    path: '/videos/{{operation}}',
    state: 'status',
    states: { pending: 'running', done: 'completed', failed: 'failed', expired: 'expired' },
    // A finished request may have no status, only the video.
    absentState: 'completed',
    progress: 'progress',
    video: 'video.url',
    outputSeconds: 'video.duration',
  },
  errors: {
    code: ['error.code', 'code'],
    message: ['error.message', 'error'],
    // A video that moderation withholds is done, with or without a URL.
    status: {
      code: ['error.code', 'code', 'video.respect_moderation'],
      message: ['error.message', 'error'],
    },
    // The codes are not documented; these texts are those that clients have reported.
    reasons: {
      '*usage guidelines*': 'rejected-input',
      'Generated video rejected*': 'rejected-output',
      '*moderat*': 'rejected',
      false: 'rejected-output',
    },
    // A poll of rejected content is answered with 400.
    ends: ['*moderat*'],
    // `respect_moderation` of the video.
    withheld: ['false'],
  },
};

const upstream = 'grok-imagine-video-1.5';
const seconds = { min: 1, max: 15, default: 5 };

export const xaiModels = modelsOf(xai, {
  'grok-imagine-1.5': {
    upstream,
    title: 'Grok Imagine 1.5',
    seconds,
    generationTypes: ['text-to-video', 'image-to-video'],
  },
  // Apart, as its references have fewer resolutions.
  'grok-imagine-1.5-reference': {
    upstream,
    title: 'Grok Imagine 1.5 (references)',
    seconds,
    generationTypes: ['reference-to-video'],
    resolutions: ['480p', '720p'],
  },
});
