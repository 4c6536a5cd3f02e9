/**
 * MiniMax H3, by version 2 of MiniMax's API: all generation types, with sound.
 * Source: https://platform.minimax.io/docs/api-reference/video-generation-v2-create and
 * https://platform.minimax.io/docs/api-reference/video-generation-v2-query.
 */
import type { DeclaredSettings } from '../server/providers/declared/settings.ts';
import { modelsOf } from './models.ts';
import { sameRatios } from './ratios.ts';

const file = (kind: string, url: string, role: string) => ({
  type: `${kind}_url`,
  [`${kind}_url`]: { url },
  role,
});
const references = (kind: string) => ({
  '{{each}}': `{{${kind}_urls}}`,
  ...file(kind, '{{item}}', `reference_${kind}`),
});

export const minimaxH3: DeclaredSettings = {
  kind: 'declared',
  baseUrl: 'https://api.minimax.io/v2',
  apiKey: { env: 'MINIMAX_API_KEY' },
  models: { 'minimax-h3': 'MiniMax-H3' },
  resolutions: { '768p': '768P', '2k': '2K' },
  // `adaptive` is its default, which it refuses for text alone.
  ratios: { ...sameRatios, '21:9': '21:9' },
  followsFirstFrame: true,
  seconds: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  supports: { promptCharactersMax: 7_000 },
  start: {
    path: '/video_generation',
    // No `callback_url`: MiniMax wants a challenge echoed before it accepts one.
    body: {
      model: '{{model}}',
      content: [
        { type: 'text', text: '{{prompt}}' },
        file('image', '{{first_frame}}', 'first_frame'),
        file('image', '{{last_frame}}', 'last_frame'),
        references('image'),
        references('video'),
        references('audio'),
      ],
      resolution: '{{resolution}}',
      duration: '{{seconds}}',
      ratio: '{{aspect_ratio}}',
      aigc_watermark: '{{watermark}}',
    },
    operation: 'task_id',
  },
  status: {
    path: '/query/video_generation/{{operation}}',
    state: 'task.status',
    states: {
      queued: 'queued',
      running: 'running',
      succeeded: 'completed',
      failed: 'failed',
      cancelled: 'cancelled',
    },
    video: 'task.content.url',
    outputSeconds: 'task.usage.output_seconds',
    billedSeconds: { output: 'task.usage.output_seconds', input: 'task.usage.input_seconds' },
  },
  errors: {
    // Ends with the code: "video description contains sensitive content (1026)".
    code: 'error.message',
    status: { code: 'task.error.code', message: 'task.error.message' },
    reasons: {
      '1026': 'rejected-input',
      '*(1026)': 'rejected-input',
      '1027': 'rejected-output',
    },
  },
};

export const minimaxH3Models = modelsOf(minimaxH3, {
  'minimax-h3': {
    upstream: 'MiniMax-H3',
    title: 'MiniMax H3',
    references: { images: 9, videos: 3, audios: 3, secondsMax: 15 },
    sound: 'always',
  },
});
