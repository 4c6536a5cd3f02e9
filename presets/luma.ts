/**
 * Luma Dream Machine (Ray 2): text-to-video, and image-to-video with a first and a last frame. The
 * newer Luma Agents API has another format.
 * Source: https://docs.lumalabs.ai/docs/video-generation, https://docs.lumalabs.ai/docs/errors
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';
import { sameRatios } from './ratios.ts';

export const luma: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.lumalabs.ai/dream-machine/v1',
  apiKey: { env: 'LUMAAI_API_KEY' },
  models: { 'vidgen-2-0': 'ray-2', 'vidgen-2-0-fast': 'ray-flash-2' },
  resolutions: { '480p': '540p', '540p': '540p', '720p': '720p', '1080p': '1080p', '4k': '4k' },
  ratios: { ...sameRatios, '21:9': '21:9' },
  seconds: [5, 9],
  supports: { promptCharactersMin: 3, promptCharactersMax: 5_000 },
  start: {
    path: '/generations/video',
    body: {
      model: '{{model}}',
      prompt: '{{prompt}}',
      resolution: '{{resolution}}',
      aspect_ratio: '{{aspect_ratio}}',
      duration: '{{seconds}}s',
      keyframes: {
        frame0: { type: 'image', url: '{{first_frame}}' },
        frame1: { type: 'image', url: '{{last_frame}}' },
      },
      callback_url: '{{callback_url}}',
    },
    operation: 'id',
  },
  status: {
    path: '/generations/{{operation}}',
    state: 'state',
    states: { queued: 'queued', dreaming: 'running', completed: 'completed', failed: 'failed' },
    video: 'assets.video',
  },
  errors: {
    message: 'detail',
    status: { message: 'failure_reason' },
    reasons: {
      '*prompt moderation*': 'rejected-prompt',
      '*blacklisted words*': 'rejected-prompt',
      '*rame moderation*': 'rejected-material',
      '*read user input frames*': 'material',
    },
  },
  // The list repeats the callback URL, which contains our reference. It is the newest first as
  // far as is known, and not complete, so it proves no absence.
  find: {
    path: '/generations?limit=100',
    list: 'generations',
    reference: 'request.callback_url',
    operation: 'id',
  },
  // Unsigned.
  callbacks: { operation: 'id' },
};

/** By their own names. */
const resolutions = ['540p', '720p', '1080p', '4k'];

export const lumaModels = modelsOf(luma, {
  'ray-2': { upstream: 'ray-2', title: 'Ray 2', resolutions },
  'ray-flash-2': { upstream: 'ray-flash-2', title: 'Ray Flash 2', resolutions },
});
