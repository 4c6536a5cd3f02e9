/**
 * Google Gemini Omni, by the Interactions API: text-to-video, image-to-video with a first and a
 * last frame, and images as references. The images are sent as their content.
 * Source: https://ai.google.dev/gemini-api/docs/omni, and the types of @google/genai
 * (https://github.com/googleapis/js-genai, src/gaos/models/interactions). The lengths and how
 * `duration` is written are as other clients report them.
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';

const image = (name: string) => ({
  type: 'image',
  data: `{{${name}|base64}}`,
  mime_type: `{{${name}|media_type}}`,
});

export const geminiOmni: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  apiKey: { env: 'GEMINI_API_KEY' },
  auth: { header: 'x-goog-api-key', value: '{{key}}' },
  models: { 'gemini-omni-1.1-flash': 'gemini-omni-1.1-flash' },
  resolutions: { '360p': '360p', '720p': '720p', '1080p': '1080p', '4k': '4k' },
  ratios: { '16:9': '16:9', '9:16': '9:16' },
  seconds: [3, 4, 5, 6, 7, 8, 9, 10],
  materials: 'data-url',
  types: {
    'text-to-video': 'text_to_video',
    'image-to-video': 'image_to_video',
    'reference-to-video': 'reference_to_video',
  },
  start: {
    path: '/interactions',
    body: {
      model: '{{model}}',
      input: [
        image('first_frame'),
        image('last_frame'),
        { '{{each}}': '{{image_urls}}', ...image('item') },
        { type: 'text', text: '{{prompt}}' },
      ],
      generation_config: { video_config: { task: '{{generation_type}}' } },
      response_format: {
        type: 'video',
        // Otherwise the video is in the response, which is limited to 4 MB.
        delivery: 'uri',
        aspect_ratio: '{{aspect_ratio}}',
        resolution: '{{resolution}}',
        duration: '{{seconds}}s',
      },
      background: true,
    },
    operation: 'id',
  },
  status: {
    path: '/interactions/{{operation}}',
    state: 'status',
    states: {
      queued: 'queued',
      in_progress: 'running',
      completed: 'completed',
      failed: 'failed',
      incomplete: 'failed',
      budget_exceeded: 'failed',
      requires_action: 'failed',
      cancelled: 'cancelled',
    },
    // Only the output has a URI. It may be a while until the file is there; then it is fetched
    // with the next poll.
    video: 'steps[*].content[*].uri',
  },
  results: 'with-key',
  errors: {
    code: ['error.status', 'error.code'],
    message: 'error.message',
    // The codes of rejected content are not documented.
    status: { code: 'errors[0].code', message: ['errors[0].message', 'steps[*].error.message'] },
  },
};

export const geminiOmniModels = modelsOf(geminiOmni, {
  'gemini-omni-1.1-flash': {
    upstream: 'gemini-omni-1.1-flash',
    title: 'Gemini Omni 1.1 Flash',
    references: { images: 10 },
    sound: 'always',
  },
});
