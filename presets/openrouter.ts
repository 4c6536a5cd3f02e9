/**
 * OpenRouter: all generation types, with Seedance 2.0. The same upstream as `kind:
 * 'openai-videos'` with `dialect: 'openrouter'`, described by data.
 * Source: https://openrouter.ai/docs/api_reference/videos
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';

const reference = (kind: 'image' | 'video' | 'audio') => ({
  '{{each}}': `{{${kind}_urls}}`,
  type: `${kind}_url`,
  [`${kind}_url`]: { url: '{{item}}' },
});
const frame = (name: 'first_frame' | 'last_frame') => ({
  type: 'image_url',
  image_url: { url: `{{${name}}}` },
  frame_type: name,
});

export const openrouter: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKey: { env: 'OPENROUTER_API_KEY' },
  // With models other than Seedance 2.0 and newer, remove the references of videos and audio files
  // from the body: OpenRouter ignores them, and customers would pay for them.
  models: {
    'vidgen-2-5': 'bytedance/seedance-2.5',
    'vidgen-2-0': 'bytedance/seedance-2.0',
    'vidgen-2-0-fast': 'bytedance/seedance-2.0-fast',
    'vidgen-2-0-mini': 'bytedance/seedance-2.0-mini',
  },
  resolutions: { '480p': '480p', '720p': '720p', '1080p': '1080p', '4k': '4K' },
  ratios: {
    ...{ '16:9': '16:9', '4:3': '4:3', '1:1': '1:1', '3:4': '3:4', '9:16': '9:16' },
    ...{ '21:9': '21:9', adaptive: null },
  },
  // Sound is the default, and `true` is refused by a model that makes none.
  sound: { off: false },
  start: {
    path: '/videos',
    body: {
      model: '{{model}}',
      prompt: '{{prompt}}',
      duration: '{{seconds}}',
      resolution: '{{resolution}}',
      aspect_ratio: '{{aspect_ratio}}',
      generate_audio: '{{sound}}',
      seed: '{{seed}}',
      frame_images: [frame('first_frame'), frame('last_frame')],
      input_references: [reference('image'), reference('video'), reference('audio')],
      callback_url: '{{callback_url}}',
    },
    operation: 'id',
  },
  status: {
    path: '/videos/{{operation}}',
    state: 'status',
    states: {
      pending: 'queued',
      in_progress: 'running',
      completed: 'completed',
      failed: 'failed',
      cancelled: 'cancelled',
      expired: 'expired',
    },
    video: 'unsigned_urls[0]',
  },
  errors: {
    code: 'error.code',
    message: 'error.message',
    // A failed job has its error as text.
    status: { message: 'error' },
    // 403 is an input that was flagged. Messages of failed jobs are those of the model's provider.
    reasons: { '403': 'rejected-input', '*moderat*': 'rejected', '*content policy*': 'rejected' },
  },
  // Callbacks have a signature of OpenRouter's own, which is not verified: the reference in their
  // URL authenticates them, and they only make vidgen poll sooner.
  callbacks: { operation: 'data.id', httpsOnly: true },
  // The file is at the API, which redirects some of them to another host.
  results: 'with-key',
};
